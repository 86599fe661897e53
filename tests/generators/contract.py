"""Tests that every family of generators inherits."""

import copy
import math
import pickle
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from safetensors.torch import load_model, save_model
from torch import Tensor
from torch.func import functional_call

from lgn.generators import Generator, Share, leading_shape, make_generator, start_matrices
from lgn.measures import tolerance

DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
# Odd d, rectangles, one pixel; signals and volumes.
PATCHES = pytest.mark.parametrize("patch", [(3, 3), (2, 3), (5, 1), (1, 1), (5,), (2, 1, 3)], ids=str)


def random_matrix(
    patch: tuple[int, ...], dtype: torch.dtype = torch.float64, leading: tuple[int, int] = (1, 1)
) -> Tensor:
    """Orthogonal matrices with noise: almost surely outside every family, and far from singular."""
    d = math.prod(patch)
    noise = torch.randn(*leading, d, d, dtype=dtype) / (5 * math.sqrt(d))
    return start_matrices("orthogonal", leading, d, dtype=dtype) + noise


def train(generator: Generator, steps: int = 30, learning_rate: float = 0.05) -> None:
    """Steps of Adam towards a matrix outside every family."""
    target = random_matrix(generator.patch, generator.matrix().dtype) * 1.5
    optimizer = torch.optim.Adam(generator.parameters(), lr=learning_rate)
    for _ in range(steps):
        optimizer.zero_grad()
        (generator.matrix() - target).square().mean().backward()
        optimizer.step()
        generator.project_()


class FamilyContract:
    """Properties of every family. A subclass names the family, makes random members and measures the guarantee."""

    family: ClassVar[Any]  # the class, or a functools.partial of it
    guarantee: ClassVar[str]  # what repr must show
    trained = True

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        """A random member of the family in float64.  (1, 1, d, d)"""
        raise NotImplementedError

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        """The error of the guarantee, computed independently of the family."""
        raise NotImplementedError

    def make(self, start: Tensor, patch: tuple[int, ...], order: int = 4) -> Generator:
        return self.family(start, patch, order)

    @pytest.fixture(autouse=True)
    def _seed(self) -> None:
        torch.manual_seed(0)

    @pytest.mark.parametrize("share", ["channel", "set", "layer", "network"])
    def test_shape_of_each_sharing(self, share: Share) -> None:
        expected = {"channel": (3, 2), "set": (3, 1), "layer": (1, 1), "network": (1, 1)}[share]
        leading = leading_shape(share, num_sets=3, channels=2)
        generator = make_generator(self.family, (2, 3), 4, leading, random_matrix((2, 3)), dtype=torch.float64)
        assert generator.matrix().shape == (*expected, 6, 6)
        assert generator.start_distance.shape == expected
        assert generator.guarantee_error().shape == expected

    @PATCHES
    @DTYPES
    def test_the_guarantee_holds_at_the_start_and_after_training(
        self, patch: tuple[int, ...], dtype: torch.dtype
    ) -> None:
        generator = self.make(random_matrix(patch, dtype, (2, 2)), patch)
        assert generator.matrix().dtype == dtype
        before = generator.matrix().detach().clone()
        assert self.violation(before, patch) <= tolerance(dtype)
        if self.trained:
            train(generator)
        after = generator.matrix().detach()
        assert after.dtype == dtype
        assert self.violation(after, patch) <= tolerance(dtype)
        assert float(generator.guarantee_error().max()) <= tolerance(dtype)
        assert after.isfinite().all()
        # Training changes every matrix, except fixed ones and discrete choices for d = 1.
        assert torch.allclose(before, after) == (not self.trained or self.is_rigid(patch))

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        """Whether a matrix on a small patch has nothing to learn."""
        return False

    @PATCHES
    @DTYPES
    def test_a_member_is_kept(self, patch: tuple[int, ...], dtype: torch.dtype) -> None:
        member = self.member(patch).to(dtype)
        generator = self.make(member, patch)
        distance = (generator.matrix().detach() - member).norm() / member.norm()
        assert float(distance) <= tolerance(dtype)
        assert float(generator.start_distance.max()) <= tolerance(dtype)

    @PATCHES
    def test_start_distance_is_the_distance_of_the_projection(self, patch: tuple[int, ...]) -> None:
        start = random_matrix(patch, leading=(2, 1))
        generator = self.make(start, patch)
        matrix = generator.matrix().detach()
        moved = [float((a - s).norm() / s.norm()) for a, s in zip(matrix[:, 0], start[:, 0], strict=True)]
        assert generator.start_distance.flatten().tolist() == pytest.approx(moved)

    @pytest.mark.parametrize("patch", [(2, 2), (3, 1), (2, 3), (3,), (2, 1, 2)], ids=str)
    def test_gradient_against_finite_differences(self, patch: tuple[int, ...]) -> None:
        generator = self.make(random_matrix(patch), patch)
        if not self.trained:
            assert not list(generator.parameters())
            return
        train(generator, steps=3)  # away from the start, where derivatives could be special
        names, parameters = zip(*generator.named_parameters(), strict=True)

        def matrix(*values: Tensor) -> Tensor:
            return functional_call(generator, dict(zip(names, values, strict=True)), ())

        assert torch.autograd.gradcheck(matrix, [p.detach().requires_grad_() for p in parameters])

    @pytest.mark.parametrize("start", ["orthogonal", "given"])
    def test_safetensors_round_trip(self, start: str, tmp_path: Path) -> None:
        given = torch.linalg.qr(torch.randn(2, 1, 6, 6))[0] if start == "orthogonal" else random_matrix((2, 3)).mT
        trained, fresh = (self.make(matrix, (2, 3)) for matrix in (given, torch.randn_like(given)))
        save_model(trained, str(tmp_path / "generator.safetensors"))
        load_model(fresh, tmp_path / "generator.safetensors")
        assert torch.equal(fresh.matrix(), trained.matrix())

    def test_deepcopy_is_independent(self) -> None:
        original = self.make(random_matrix((2, 3)), (2, 3))
        before = original.matrix().detach().clone()
        twin = copy.deepcopy(original)
        assert torch.equal(twin.matrix(), before)
        assert repr(twin) == repr(original)
        if self.trained:
            train(twin, steps=3)
            assert not torch.equal(twin.matrix(), before)
        assert torch.equal(original.matrix(), before)

    def test_pickle_round_trip(self) -> None:
        original = self.make(random_matrix((2, 3)), (2, 3)).eval()
        if self.trained:
            train(original, steps=3)
        twin = pickle.loads(pickle.dumps(original))
        assert torch.equal(twin.matrix(), original.matrix())
        assert repr(twin) == repr(original)
        assert twin.training is False
        assert twin.state_dict().keys() == original.state_dict().keys()
        if self.trained:
            for generator in (original, twin):  # an unpickled generator continues equally
                torch.manual_seed(1)
                train(generator, steps=3)
            assert torch.equal(twin.matrix(), original.matrix())
            assert self.violation(twin.matrix().detach(), (2, 3)) <= tolerance(torch.float64)

    def test_repr_shows_the_mathematics(self) -> None:
        text = repr(self.make(random_matrix((2, 3), leading=(3, 2)), (2, 3)))
        assert self.guarantee in text
        assert "3x2 of 6x6 on 2x3 patches" in text
        assert "\n" not in text

    def test_change_of_type(self) -> None:
        generator = self.make(random_matrix((2, 3)), (2, 3)).to(torch.float32)
        assert generator.matrix().dtype == torch.float32
        assert self.violation(generator.matrix().detach(), (2, 3)) <= tolerance(torch.float32)

    def test_the_start_is_not_touched(self) -> None:
        start = random_matrix((2, 3))
        before = start.clone()
        generator = self.make(start, (2, 3))
        if self.trained:
            train(generator, steps=2)
        assert torch.equal(start, before)

    @pytest.mark.parametrize(
        "start",
        [
            torch.zeros(1, 1, 6, 5),
            torch.eye(4).reshape(1, 1, 4, 4),
            torch.eye(6),
            torch.full((1, 1, 6, 6), torch.nan),
            torch.eye(6, dtype=torch.int64).reshape(1, 1, 6, 6),
        ],
        ids=["non-square", "kernel", "dimensions", "nan", "integer"],
    )
    def test_bad_starts_are_refused(self, start: Tensor) -> None:
        with pytest.raises(ValueError, match="start must"):
            self.make(start, (2, 3))


class ExactFamilyContract(FamilyContract):
    """A family that projects a start to the nearest member in the Frobenius norm."""

    @PATCHES
    def test_no_other_member_is_nearer(self, patch: tuple[int, ...]) -> None:
        """Compared with random members and with members near the projection."""
        start = random_matrix(patch)
        generator = self.make(start, patch)
        nearest = float((generator.matrix().detach() - start).norm())
        others = [self.member(patch) for _ in range(50)]
        for scale in [1e-3, 1e-2, 1e-1] * 20:
            other = copy.deepcopy(generator)
            with torch.no_grad():
                for parameter in other.parameters():
                    parameter.add_(scale * torch.randn_like(parameter))
                other.project_()
            others.append(other.matrix().detach())
        assert min(float((other - start).norm()) for other in others) >= nearest * (1 - 1e-9)
