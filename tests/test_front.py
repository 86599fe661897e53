"""The front door: runs, models and matrices are analysed alike."""

from pathlib import Path

import pytest
import torch
from torch import nn

import lgn
from lgn.front import _fresh_starts, subjects_of
from lgn.generators import FAMILIES
from lgn.nn import GroupConv2d, UnfoldedEncoder
from lgn.operators import parse_operator
from lgn.training import preset, train

KNOWN = {
    "rotation 90": ("rotation", 90),
    "pooling 3": ("pooling", 3),
    "shift 0 1": ("shift", (0, 1)),
    "pooling 4 then rotation 60": ("pooling then rotation", (4, 60)),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> lgn.training.Run:
    """A short real training."""
    config = preset("quick", epochs=1, train_images=300, num_layers=2, num_sets=2)
    return train(config, tmp_path_factory.mktemp("run") / "run", progress=False)


def test_a_model_of_known_operators_is_named() -> None:
    torch.manual_seed(0)
    model = nn.Sequential()
    for text in KNOWN:
        # Many channels, so that what the filters can say of a generator is all of it.
        model.append(GroupConv2d(16, 1, 4, 6, generator="fixed", start=parse_operator(text, (6, 6))))
    analysis = lgn.analyze(model, draws=200)
    for each, (name, parameter) in zip(analysis.generators, KNOWN.values(), strict=True):
        best = each.nearest[0]
        assert best.name == name
        assert best.parameter == pytest.approx(parameter, abs=1)
        assert best.cosine == pytest.approx(1, abs=1e-6)
        assert best.adjusted_p_value <= analysis.false_discovery_rate


@pytest.mark.parametrize("start", ["orthogonal", "gaussian", "identity"])
@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "fixed"])
@pytest.mark.filterwarnings("ignore:every eigenvalue of start rounds to 1")
def test_a_fresh_network_has_no_findings(family: str, start: str) -> None:
    torch.manual_seed(1)
    encoder = UnfoldedEncoder(1, num_layers=2, num_sets=4, order=4, kernel_size=4, generator=family, start=start)
    analysis = lgn.analyze(encoder, draws=200)
    found = sum(len(each.findings) for each in analysis.generators)
    # At a rate of 0.05 nothing is expected where nothing is; one in a family's eight generators may still happen.
    assert found <= 1


def test_fresh_starts_go_on_where_they_stopped_and_leave_torch_alone() -> None:
    generator = UnfoldedEncoder(1, num_layers=1, num_sets=1, order=4, kernel_size=2, start="gaussian").bank.generator
    draw = _fresh_starts(generator)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, second = draw(4), draw(4)
    assert torch.equal(torch.rand(3), expected)
    assert not torch.allclose(first, second)
    again = _fresh_starts(generator)
    assert torch.equal(again(4), first)


def test_a_run_its_model_and_its_matrices_agree(run: lgn.training.Run) -> None:
    of_run = lgn.analyze(run.path, draws=50)
    model = lgn.load(run.path)
    of_model = lgn.analyze(model, draws=50)
    matrices = model.encoder.bank.generator.matrix().detach()[:, 0]
    of_matrices = lgn.analyze(matrices, patch=(6, 6), draws=50)
    assert [each.name for each in of_run.generators] == [
        "layer 1, set 1", "layer 1, set 2", "layer 2, set 1", "layer 2, set 2",
    ]  # fmt: skip
    for one, two, three in zip(of_run.generators, of_model.generators, of_matrices.generators, strict=True):
        assert one.matrix == two.matrix == three.matrix
        assert one.spectrum == two.spectrum
        assert one.start is not None
        assert two.start is None
        assert one.identifiability is not None
        assert one.identifiability.dimension == 3  # one channel, order 4: what the paper's setting can say on grey
        assert three.identifiability is None


def test_colour_images_speak_to_nine_dimensions_and_a_shared_generator_to_more() -> None:
    torch.manual_seed(0)
    per_set = lgn.analyze(UnfoldedEncoder(3, num_layers=1, num_sets=2), draws=20)
    assert [each.identifiability.dimension for each in per_set.generators] == [9, 9]
    shared = lgn.analyze(UnfoldedEncoder(3, num_layers=2, num_sets=2, share="network"), draws=20)
    assert [each.identifiability.dimension for each in shared.generators] == [36]
    channel = lgn.analyze(UnfoldedEncoder(2, num_layers=1, num_sets=1, share="channel"), draws=20)
    assert [(each.channel, each.identifiability.dimension) for each in channel.generators] == [(1, 3), (2, 3)]


def test_each_matrix_is_judged_by_its_own_size_order_family_and_start() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        GroupConv2d(3, 2, 4, 3, generator="circulant"), GroupConv2d(8, 3, 2, 5, start="gaussian"), nn.ReLU()
    )
    analysis = lgn.analyze(model, draws=20)
    assert [(each.patch, each.order) for each in analysis.generators] == [((3, 3), 4)] * 2 + [((5, 5), 2)] * 3
    by_law = [{score.name for score in each.scores if score.by_construction} for each in analysis.generators]
    assert by_law == [{"block-Toeplitz", "doubly block-circulant", "few 2-D Fourier lines"}] * 2 + [set()] * 3
    assert repr(analysis).startswith("<Analysis of 5 generators on 3x3, 5x5 patches")
    with pytest.raises(ValueError, match=r"patch must be asked of each generator .* got \(\(3, 3\), \(5, 5\)\)"):
        _ = analysis.patch
    starts = {each.name: each.fresh_starts(2) for each in subjects_of(model)}
    assert [draws.shape[-1] for draws in starts.values()] == [9, 9, 25, 25, 25]
    norms = starts["1, set 1"].flatten(1).norm(dim=1)
    assert torch.allclose(norms, torch.ones(2))  # the gaussian start has norm 1, the orthogonal one 5
    assert len(lgn.analyze(model, patch=(3, 3), draws=20).generators) == 2
    with pytest.raises(ValueError, match=r"patch must be one of \[\(3, 3\), \(5, 5\)\], got \(4, 4\)"):
        lgn.analyze(model, patch=(4, 4))


def test_bad_sources_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="patch must be given"):
        lgn.analyze(torch.eye(36))
    with pytest.raises(ValueError, match="model must have a generator"):
        lgn.analyze(nn.Linear(2, 2))
    with pytest.raises(FileNotFoundError, match=r"run must be a directory with a config\.json"):
        lgn.load(tmp_path)
