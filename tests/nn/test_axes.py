"""Group layers of signals, images and volumes: one test class that all numbers of axes inherit."""

import copy
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn.actions import act, matrix_of, orbit, power, unvec, vec
from lgn.generators import FAMILIES, Fixed
from lgn.measures import equivariance_error, tolerance
from lgn.nn import UnfoldedEncoder, advance, generator_sites
from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.penalties import AuxiliaryInverse


class AxesContract:
    """Tests of layers on any number of axes; a subclass has the number."""

    axes: ClassVar[int]
    kernel: ClassVar[tuple[int, ...]]  # an oblong one
    size: ClassVar[tuple[int, ...]]  # of what is convolved

    def kind(self, name: str) -> Any:
        """The class of a name, such as `GroupConv1d`."""
        return getattr(lgn.nn, f"{name}{self.axes}d")

    def plain(self, name: str) -> Any:
        return getattr(nn, f"{name}{self.axes}d")

    def x(self, channels: int = 3, **options: Any) -> Tensor:
        return torch.randn(2, channels, *self.size, **options)

    @pytest.fixture(autouse=True)
    def _seed(self) -> None:
        torch.manual_seed(0)

    @pytest.mark.parametrize("share", ["channel", "set", "layer", "network"])
    @pytest.mark.parametrize("family", FAMILIES)
    def test_filters_are_orbits_set_by_set(self, family: str, share: Any) -> None:
        d = torch.Size(self.kernel).numel()
        start: Any = torch.linalg.qr(torch.randn(d, d))[0] if family == "fixed" else "orthogonal"
        options = {"generator": family, "share": share, "start": start, "dtype": torch.float64}
        layer = self.kind("GroupConv")(3, 2, self.kernel, group=4, **options)
        matrix = layer.bank.generator.matrix().expand(2, 3, d, d)
        filters = layer.filters().unflatten(0, (2, 4))
        assert filters.shape == (2, 4, 3, *self.kernel)
        for j in range(4):
            torch.testing.assert_close(filters[:, j], act(power(matrix, j), layer.bank.basis, self.axes))

    @pytest.mark.parametrize(
        "arguments",
        [
            {},
            {"stride": 2, "padding": 1, "dilation": 2},
            {"padding": "same"},
            {"padding": "valid", "padding_mode": "reflect"},
            {"padding": "same", "padding_mode": "circular", "dilation": 2},
            {"padding": 1, "padding_mode": "replicate", "stride": 2},
            {"padding": 1, "padding_mode": "reflect", "bias": False},
            {"bias": True},
        ],
        ids=str,
    )
    @pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")  # so does torch's own layer
    def test_it_computes_the_convolution_of_its_filters(self, arguments: dict[str, Any]) -> None:
        layer = self.kind("GroupConv")(3, 2, self.kernel, group=4, **arguments)
        bias = arguments.get("bias", "set")
        plain = self.plain("Conv")(3, 8, self.kernel, **{**arguments, "bias": bool(bias)})
        with torch.no_grad():
            plain.weight.copy_(layer.filters())
            if bias:
                plain.bias.copy_(layer.bias.repeat_interleave(4) if bias == "set" else layer.bias)
        x = self.x()
        torch.testing.assert_close(layer(x), plain(x))
        assert type(layer.merged()) is self.plain("Conv")
        torch.testing.assert_close(layer.merged()(x), plain(x))

    @pytest.mark.parametrize(
        "arguments", [{}, {"stride": 2, "padding": 1, "output_padding": 1}, {"dilation": 2}], ids=str
    )
    def test_it_computes_the_transposed_convolution_of_its_filters(self, arguments: dict[str, Any]) -> None:
        layer = self.kind("GroupConvTranspose")(3, 2, self.kernel, group=4, bias="set", generator="cyclic", **arguments)
        plain = self.plain("ConvTranspose")(3, 8, self.kernel, **arguments)
        with torch.no_grad():
            plain.weight.copy_(layer.filters().transpose(0, 1))
            plain.bias.copy_(layer.bias.repeat_interleave(4))
        x = self.x()
        torch.testing.assert_close(layer(x), plain(x))
        torch.testing.assert_close(lgn.merge(layer)(x), plain(x))

    @pytest.mark.parametrize(("family", "closes"), [("cyclic", True), ("orthogonal", False)])
    def test_the_law_of_a_group_layer(self, family: str, closes: bool) -> None:
        """On inputs of the kernel's size `x -> A^T x` moves element j to j + 1, and wraps if and only if `A^p = I`."""
        options = {"bias": "set", "generator": family, "share": "layer", "dtype": torch.float64}
        layer = self.kind("GroupConv")(2, 3, self.kernel, group=4, **options)
        a = layer.bank.generator.matrix()[0, 0].detach()
        x = torch.randn(50, 2, *self.kernel, dtype=torch.float64)

        def elements(x: Tensor) -> Tensor:
            return layer(x).flatten(1).unflatten(1, (3, 4))

        def transform(x: Tensor) -> Tensor:
            return unvec(vec(x, self.axes) @ a, self.kernel)

        error = equivariance_error(elements, x, transform, lambda z: z.roll(-1, dims=-1))
        assert (error <= tolerance(torch.float64)) == closes
        assert closes or error > 0.1

    @pytest.mark.parametrize("stacked", [True, False])
    def test_reversal_of_the_last_axis_goes_through_three_layers(self, stacked: bool) -> None:
        """Convolutions and normalisation of sets are equivariant; layers that ignore the sets are not."""
        flip = matrix_of(lambda x: x.flip(-1), (3,) * self.axes, torch.float32)
        options = {"padding": 1, "bias": "set", "generator": Fixed(flip[None, None], (3,) * self.axes, 2)}
        convolution = partial(self.kind("GroupConv"), group=2, kernel_size=3, **options)
        stack = partial(self.kind("GroupStackConv"), group=2, kernel_size=3, **options)

        def further(sets_in: int, sets: int) -> nn.Module:
            return stack(sets_in, sets) if stacked else convolution(sets_in * 2, sets)

        norm = self.kind("SetBatchNorm")
        model = nn.Sequential(
            convolution(3, 3), norm(3, group=2), nn.ReLU(), further(3, 4), norm(4, group=2), further(4, 2)
        )
        with torch.no_grad():  # statistics that are not trivial
            model(self.x() + 0.3)
        model.eval()
        x = self.x()
        error = equivariance_error(model, x, lambda i: i.flip(-1), lambda codes: advance(codes.flip(-1), group=2))
        assert (error <= 1e-4) == stacked
        assert stacked or error > 0.1
        with torch.no_grad():
            torch.testing.assert_close(lgn.merge(model)(x), model(x), rtol=0, atol=1e-5)

    def network(self) -> nn.Module:
        convolution, norm = self.plain("Conv"), self.plain("BatchNorm")
        back = self.plain("ConvTranspose")(8, 4, 3, stride=2)
        parts = [convolution(3, 8, self.kernel), norm(8), nn.ReLU(), convolution(8, 8, 1), convolution(8, 8, 3), back]
        return nn.Sequential(*parts).eval()

    @pytest.mark.parametrize("from_filters", [True, False])
    def test_a_network_is_converted_and_merged(self, from_filters: bool) -> None:
        model = lgn.convert(self.network(), group=4, from_filters=from_filters, share="channel")
        conversion: Any = model.conversion
        assert list(conversion.converted) == ["0", "4", "5"]
        assert list(conversion.left_alone) == ["3"]
        x = self.x()
        merged = lgn.merge(model)
        assert [type(module) for module in merged] == [type(module) for module in self.network()]
        with torch.no_grad():
            torch.testing.assert_close(merged(x), model(x), rtol=0, atol=1e-5)
        model(x).square().mean().backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())

    @pytest.mark.parametrize("share", ["channel", "set", "layer", "network"])
    @pytest.mark.parametrize("family", FAMILIES)
    def test_every_family_is_merged_and_the_original_is_unchanged(self, family: str, share: Any) -> None:
        d = 3**self.axes
        start: Any = torch.linalg.qr(torch.randn(d, d))[0] if family == "fixed" else "orthogonal"
        plain = nn.Sequential(self.plain("Conv")(3, 8, 3), nn.ReLU(), self.plain("ConvTranspose")(8, 8, 3))
        model, x = lgn.convert(plain, group=4, generator=family, share=share, start=start), self.x()
        before = copy.deepcopy(model.state_dict())
        merged = lgn.merge(model)
        assert [type(module) for module in merged] == [type(module) for module in plain]
        with torch.no_grad():
            torch.testing.assert_close(merged(x), model(x), rtol=0, atol=1e-5)
            for parameter in merged.parameters():
                parameter.zero_()
        assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())

    def test_from_filters_keeps_the_network(self) -> None:
        """With a generator per channel and sets of two, the filters are kept exactly."""
        plain = self.network().double()
        x = self.x(dtype=torch.float64)
        torch.testing.assert_close(lgn.convert(plain, group=2, from_filters=True, share="channel")(x), plain(x))

    def test_export_with_and_without_merging(self) -> None:
        model, x = lgn.convert(self.network(), group=4, generator="cyclic"), self.x()
        for network in (model, lgn.merge(model)):
            torch.testing.assert_close(torch.export.export(network, (x,)).module()(x), model(x), rtol=0, atol=1e-5)
        torch.testing.assert_close(torch.fx.symbolic_trace(model)(x), model(x))

    @pytest.mark.filterwarnings("ignore:.isinstance.treespec, LeafSpec.. is deprecated:FutureWarning")  # torch's own
    def test_onnx_of_a_merged_network(self, tmp_path: Path) -> None:
        pytest.importorskip("onnxscript", reason="needs the extra onnx")
        onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
        model, x = lgn.convert(self.network(), group=4), self.x()
        torch.onnx.export(lgn.merge(model), (x,), str(tmp_path / "network.onnx"), dynamo=True, verbose=False)
        session = onnxruntime.InferenceSession(str(tmp_path / "network.onnx"), providers=["CPUExecutionProvider"])
        (outputs,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        with torch.no_grad():
            torch.testing.assert_close(torch.from_numpy(outputs), model(x), rtol=0, atol=1e-5)

    def test_the_inverse_penalty_finds_the_generators(self) -> None:
        layer = self.kind("GroupConv")(3, 2, self.kernel, group=4)
        penalty = AuxiliaryInverse(layer, weight=1.0)
        with torch.no_grad():  # it starts at the inverse
            layer.bank.generator.weight.add_(0.5 * torch.randn_like(layer.bank.generator.weight))
        optimizer = torch.optim.Adam([*layer.parameters(), *penalty.parameters()], lr=0.05)
        before = penalty().item()
        for _ in range(50):
            optimizer.zero_grad()
            penalty().backward()
            optimizer.step()
        assert penalty().item() < 0.1 * before

    def test_every_matrix_has_a_site_with_its_filters(self) -> None:
        layer = self.kind("GroupConv")(3, 2, self.kernel, group=4)
        found = generator_sites(layer)
        assert [place.name for place in found] == ["bank, set 1", "bank, set 2"]
        assert found[1].acted_on.shape == (3, *self.kernel)
        torch.testing.assert_close(found[1].bases, layer.bank.basis[1])
        group = self.kind("GroupConv")(3, 2, kernel_size=self.kernel, group="D3", generator="representation")
        assert generator_sites(group)[0].acted_on.shape[1:] == self.kernel

    def test_a_planted_generator_is_fitted(self) -> None:
        """Three times as many filters as dimensions, under a generator of order 4."""
        d = torch.Size(self.kernel).numel()
        a = (
            lgn.generators.Cyclic(torch.linalg.qr(torch.randn(1, 1, d, d).double())[0], self.kernel, 4)
            .matrix()[0, 0]
            .detach()
        )
        bank = orbit(a, torch.randn(3 * d, 1, *self.kernel, dtype=torch.float64), 4, self.axes).transpose(0, 1)
        fit = lgn.fit_generator(bank.flatten(0, 1), group=4)
        assert float((fit.matrix - a).norm() / a.norm()) <= 1e-9

    @pytest.mark.parametrize("padding", [0, 1, "same"])
    def test_analysis_and_synthesis_are_adjoint(self, padding: Any) -> None:
        filters = torch.randn(4, 3, *self.kernel, dtype=torch.float64)
        margins = Margins.of(padding, self.kernel)
        x = self.x(dtype=torch.float64)
        codes = torch.randn_like(correlate(x, filters, margins))
        images = synthesise(codes, filters, margins)
        assert images.shape == x.shape
        torch.testing.assert_close((images * x).sum(), (codes * correlate(x, filters, margins)).sum())

    @pytest.mark.parametrize("algorithm", ["ista", "fista"])
    def test_an_unfolded_encoder_codes_sparsely(self, algorithm: Any) -> None:
        """Without normalisation and with a safe step, layers lower `|x - W z|^2 / 2 + lambda |z|_1`."""
        options: dict[str, Any] = {"step": "safe", "normalise": False, "tied": True, "padding": "same"}
        encoder = UnfoldedEncoder(
            3, 2, self.kernel, num_layers=12, group=4, algorithm=algorithm, dtype=torch.float64, **options
        )
        with torch.no_grad():
            encoder.threshold.fill_(0.1)
        x = self.x(dtype=torch.float64)
        assert encoder.kernel(x) == ("fast" if self.axes == 2 else "plain")

        def loss(layers: int) -> float:
            shorter = copy.deepcopy(encoder)
            shorter.num_layers = layers
            with torch.no_grad():
                codes = shorter(x)
                return float((x - encoder.decode(codes)).square().sum() / 2 + 0.1 * codes.abs().sum())

        losses = [loss(layers) for layers in (1, 4, 12)]
        assert losses == sorted(losses, reverse=True)
        assert losses[-1] < 0.9 * losses[0]

    def test_an_unfolded_encoder_with_normalisation_is_trained_and_merged(self) -> None:
        encoder = UnfoldedEncoder(3, 2, self.kernel, num_layers=3, group=4, padding="same", path="plain")
        x = self.x()
        encoder(x).square().mean().backward()
        assert all(parameter.grad is not None for parameter in encoder.parameters())
        encoder.eval()
        torch.testing.assert_close(lgn.merge(encoder)(x), encoder(x))

    def test_images_smaller_than_the_kernel_are_refused(self) -> None:
        layer = self.kind("GroupConv")(3, 2, 5, group=4, padding=1)
        encoder = UnfoldedEncoder(3, 4, (5,) * self.axes, num_layers=2, group=2, padding=1)
        for module in (layer, encoder):
            with pytest.raises(ValueError, match="x must"):
                module(torch.zeros(1, 3, *(7,) * (self.axes - 1), 2))

    def test_wrong_numbers_are_named(self) -> None:
        kind = self.kind("GroupConv")
        wrong = (3,) * (self.axes + 1)
        with pytest.raises(ValueError, match="kernel_size must"):
            kind(3, 2, wrong)
        with pytest.raises(ValueError, match="stride must"):
            kind(3, 2, 3, stride=wrong)


class TestSignals(AxesContract):
    axes, kernel, size = 1, (5,), (17,)

    def test_other_paths_are_for_images(self) -> None:
        with pytest.raises(ValueError, match="path must"):
            UnfoldedEncoder(1, kernel_size=(5,), path="fast")


class TestImages(AxesContract):
    axes, kernel, size = 2, (2, 3), (11, 12)


class TestVolumes(AxesContract):
    axes, kernel, size = 3, (2, 3, 2), (7, 8, 9)


@pytest.mark.parametrize(("axes", "word"), [(1, "reversal"), (2, "reflection columns"), (3, "mirror 3")])
def test_the_table_of_equivariance_on_any_number_of_axes(axes: int, word: str) -> None:
    """A network that is equivariant to the reversal of the last axis is so in every layer."""
    torch.manual_seed(0)
    convolution, stack = (getattr(lgn.nn, f"{name}{axes}d") for name in ("GroupConv", "GroupStackConv"))
    flip = Fixed(lgn.transforms.parse_operator(word, (3,) * axes).float()[None, None], (3,) * axes, 2)
    options = {"padding": 1, "bias": "set", "generator": flip}
    first = convolution(1, 2, 3, group=2, **options)
    x = torch.randn(2, 1, *(5,) * axes)
    table = lgn.nn.equivariance_table(
        nn.Sequential(first, nn.ReLU(), stack(2, 2, 3, group=2, **options)), x, action=[word]
    )
    assert table.worst <= 1e-5
    broken = lgn.nn.equivariance_table(
        nn.Sequential(first, nn.ReLU(), convolution(4, 2, 3, group=2, **options)), x, action=[word]
    )
    assert broken.worst > 0.1
    with pytest.raises(ValueError, match="images must"):
        lgn.nn.equivariance_table(first, x[0], action=[word])
