"""`lgn.load`, `lgn.analyze` and `lgn.write_report`: runs, models and matrices."""

import math
import re
import shutil
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import lgn
from lgn.actions import vec
from lgn.cli import main
from lgn.generators import FAMILIES
from lgn.nn import GroupConv2d, UnfoldedEncoder
from lgn.training import preset, train
from lgn.training.subjects import fresh_starts, subjects_of
from lgn.transforms import parse_operator

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
    return train(config, tmp_path_factory.mktemp("run") / "run")


def test_a_model_of_known_operators_is_named() -> None:
    torch.manual_seed(0)
    model = nn.Sequential()
    for text in KNOWN:
        # Many channels, so that what the filters can say of a generator is all of it.
        model.append(GroupConv2d(16, 1, 6, group=4, generator="fixed", start=parse_operator(text, (6, 6))))
    analysis = lgn.analyze(model, draws=200)
    for generator, (name, parameter) in zip(analysis.generators, KNOWN.values(), strict=True):
        best = generator.nearest[0]
        assert best.name == name
        assert best.parameter == pytest.approx(parameter, abs=1)
        assert best.cosine == pytest.approx(1, abs=1e-6)
        assert best.adjusted_p_value <= analysis.false_discovery_rate


def test_kernels_too_large_to_analyse_are_refused_and_others_can_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = nn.Sequential(GroupConv2d(1, 1, 13, group=2, generator="low-rank"), GroupConv2d(2, 1, 3, group=2))
    refused = "patch .*144 .*13x13"
    with pytest.raises(ValueError, match=refused):
        lgn.analyze(large)
    assert len(lgn.analyze(large, patch=(3, 3), draws=10).generators) == 1
    # A run that was trained without an analysis, and a file.
    config = preset("quick", epochs=1, train_images=10, num_layers=1, num_sets=1, group="C2", kernel_size=13)
    train(config, tmp_path / "run")
    np.save(tmp_path / "matrices.npy", np.eye(169))
    for words in (["run"], ["matrices.npy", "--patch", "13", "13"]):
        for command in ("analyze", "report"):
            assert main([command, str(tmp_path / words[0]), *words[1:]]) == 1
            assert re.match(f"lgn: error: {refused}\n$", capsys.readouterr().err)


STARTS = ("orthogonal", "gaussian", "identity")
OPEN = [name for name in FAMILIES if name != "fixed"]


# Every family from one start, and one family from all starts; studies/truth has every family from every start.
@pytest.mark.parametrize(
    ("family", "start"),
    sorted({*zip(OPEN, cycle(STARTS), strict=False), *(("dense", start) for start in STARTS)}),
)
@pytest.mark.filterwarnings("ignore:start rounds to the identity")
@pytest.mark.slow
def test_a_fresh_network_has_no_findings(family: str, start: str) -> None:
    torch.manual_seed(1)
    encoder = UnfoldedEncoder(1, num_layers=2, num_sets=4, group=4, kernel_size=4, generator=family, start=start)
    analysis = lgn.analyze(encoder, draws=200)
    found = sum(len(generator.findings) for generator in analysis.generators)
    # At a rate of 0.05 nothing is expected where nothing is; one in a family's eight generators may still happen.
    assert found <= 1


def test_fresh_starts_go_on_where_they_stopped_and_leave_torch_alone() -> None:
    generator = UnfoldedEncoder(1, num_layers=1, num_sets=1, group=4, kernel_size=2, start="gaussian").bank.generator
    draw = fresh_starts(generator)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, second = draw(4), draw(4)
    assert torch.equal(torch.rand(3), expected)
    assert not torch.allclose(first, second)
    again = fresh_starts(generator)
    assert torch.equal(again(4), first)


def test_a_run_its_model_and_its_matrices_agree(run: lgn.training.Run) -> None:
    of_run = lgn.analyze(run.path, draws=50)
    model = lgn.load(run.path)
    of_model = lgn.analyze(model, draws=50)
    matrices = model.encoder.bank.generator.matrix().detach()[:, 0]
    of_matrices = lgn.analyze(matrices, patch=(6, 6), draws=50)
    assert [generator.name for generator in of_run.generators] == [
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


@pytest.mark.parametrize(
    ("options", "dimensions"),
    [
        ({"in_channels": 3, "num_layers": 1}, [9, 9]),
        ({"in_channels": 3, "num_layers": 2, "share": "network"}, [36]),
        ({"in_channels": 2, "num_layers": 1, "num_sets": 1, "share": "channel"}, [3, 3]),
    ],
)
def test_the_filters_determine_generators_on_these_dimensions(options: dict[str, Any], dimensions: list[int]) -> None:
    torch.manual_seed(0)
    analysis = lgn.analyze(UnfoldedEncoder(**{"num_sets": 2, **options}), draws=20)
    assert [generator.identifiability.dimension for generator in analysis.generators] == dimensions  # type: ignore[union-attr]


def test_each_matrix_is_judged_by_its_own_size_order_family_and_start() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        GroupConv2d(3, 2, 3, group=4, generator="circulant"), GroupConv2d(8, 3, 5, group=2, start="gaussian"), nn.ReLU()
    )
    analysis = lgn.analyze(model, draws=20)
    assert [(generator.patch, generator.order) for generator in analysis.generators] == [((3, 3), 4)] * 2 + [
        ((5, 5), 2)
    ] * 3
    by_law = [{score.name for score in generator.scores if score.by_construction} for generator in analysis.generators]
    assert by_law == [{"block-Toeplitz", "doubly block-circulant", "few 2-D Fourier lines"}] * 2 + [set()] * 3
    assert repr(analysis).startswith("<Analysis of 5 generators on 3x3, 5x5 patches")
    with pytest.raises(ValueError, match="patch"):
        _ = analysis.patch
    starts = {generator.name: generator.fresh_starts(2) for generator in subjects_of(model)}
    assert [draws.shape[-1] for draws in starts.values()] == [9, 9, 25, 25, 25]
    norms = starts["1, set 1"].flatten(1).norm(dim=1)
    assert torch.allclose(norms, torch.ones(2))  # the gaussian start has norm 1, the orthogonal one 5
    assert len(lgn.analyze(model, patch=(3, 3), draws=20).generators) == 2
    with pytest.raises(ValueError, match=r"patch must be one of \[\(3, 3\), \(5, 5\)\], got \(4, 4\)"):
        lgn.analyze(model, patch=(4, 4))


def test_bad_sources_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="patch"):
        lgn.analyze(torch.eye(36))
    with pytest.raises(ValueError, match="model must have a generator"):
        lgn.analyze(nn.Linear(2, 2))
    with pytest.raises(FileNotFoundError, match=r"run must be a directory with a config\.json"):
        lgn.load(tmp_path)


def test_a_run_prepares_images_as_training_did(run: lgn.training.Run) -> None:
    images = lgn.data.load("digits").test.samples[:20]
    prepared = run.prepare(images)
    expected, _ = lgn.training.load_images(run.config).batch("test", torch.arange(20), torch.device("cpu"))
    assert torch.equal(prepared, expected)
    assert torch.equal(run.prepare(images.double() / 255), expected)
    with torch.no_grad():
        assert run.model()(prepared).shape == (20, 10)
    with pytest.raises(ValueError, match=r"images must be \(N, C, 28, 28\), got shape \(20, 1, 28, 20\)"):
        run.prepare(images[..., :20])
    with pytest.raises(ValueError, match="images"):
        run.prepare(images.float())


def test_whitening_is_prepared_from_the_images_that_it_was_fitted_on(tmp_path: Path) -> None:
    config = preset("quick", preprocess="zca", epochs=1, train_images=100, num_layers=1, num_sets=1, kernel_size=4)
    whitened = train(config, tmp_path / "run")
    images = lgn.training.load_images(whitened.config)
    prepared = whitened.prepare(lgn.data.load("digits").test.samples[:5])
    torch.testing.assert_close(prepared, images.parts["test"][0][:5], rtol=1e-4, atol=1e-3)  # fitted twice
    stored = whitened.path / "config.json"
    config_json = stored.read_text()
    mean = str(whitened.facts.preprocessing.mean[0])
    stored.write_text(config_json.replace(mean, str(math.nextafter(float(mean), 1))))  # as another machine rounds it
    assert torch.equal(whitened.prepare(lgn.data.load("digits").test.samples[:5]), prepared)
    stored.write_text(config_json.replace(whitened.facts.preprocessing.checksum, "0" * 64))
    with pytest.raises(ValueError, match=r"digits must have the images that .* was trained with, for zca"):
        whitened.prepare(lgn.data.load("digits").test.samples[:5])


def test_the_analysis_of_a_run_is_made_once_and_again_for_other_weights(run: lgn.training.Run, tmp_path: Path) -> None:
    copied = lgn.training.Run(shutil.copytree(run.path, tmp_path / "run"))
    quick = lgn.analyze(copied, draws=20)
    assert not (copied.path / "analysis.json").exists()  # with options of one's own nothing is kept
    quick.save(copied.path / "analysis.json")
    assert lgn.analyze(copied) == quick
    model = copied.model()
    with torch.no_grad():
        model.encoder.bank.generator.weight.add_(0.1)
    copied.save_model(model)
    again = lgn.analyze(copied, draws=20)
    assert again.generators[0].matrix != quick.generators[0].matrix


def test_the_page_of_an_analysis(tmp_path: Path) -> None:
    analysis = lgn.analyze(torch.eye(4).repeat(2, 1, 1), patch=(2, 2), draws=20)
    assert lgn.write_report(analysis, tmp_path / "matrices.html").read_text().startswith("<!doctype html>")
    with pytest.raises(ValueError, match="path"):
        lgn.write_report(analysis)


@pytest.mark.parametrize("share", ["channel", "set", "layer", "network"])
def test_places_say_whose_bases_a_matrix_acts_on(share: str) -> None:
    """Against the bank itself: a matrix that is zero leaves only the bases of the sets that it acts on."""
    torch.manual_seed(0)
    encoder = UnfoldedEncoder(2, num_layers=3, num_sets=2, group=2, kernel_size=3, share=share)
    bank = encoder.bank
    found = lgn.nn.generator_sites(encoder)
    assert len(found) == bank.generator.weight.shape[:2].numel()
    assert len({place.name for place in found}) == len(found)
    for place in found:
        weight = bank.generator.weight
        with torch.no_grad():
            kept = weight[place.index].clone()
            weight[place.index] = 0
            second = bank().unflatten(0, (3, 2, 2))[:, :, 1]  # (layers, sets, channels, n, m): A W
            weight[place.index] = kept
        dead = (second == 0).all(-1).all(-1)
        assert torch.equal(place.bases, bank.basis.detach().unflatten(0, (3, 2))[dead])
        assert len(place.base_names) == len(place.bases)
        assert len(set(place.base_names)) == len(place.bases)
        layers, sets, channels = (dead.any(1).any(1), dead.any(0).any(1), dead.any(0).any(0))
        for number, of in zip(place.label, (layers, sets, channels), strict=True):
            assert number is None or of.nonzero().tolist() == [[number - 1]]


def test_a_generator_of_a_wide_layer_is_judged_by_as_many_filters_as_say_something() -> None:
    layer = lgn.nn.GroupConv2d(32, 4, 3, group=4, share="layer")  # 128 filters, of 9 dimensions
    (subject,) = subjects_of(layer)
    assert subject.filters is not None
    assert subject.filters.shape == (9, 6)  # three vectors of each: twice the dimensions
    everything = vec(layer.bank.basis.detach().flatten(0, 1)).mT.double()
    assert all((everything == column[:, None]).all(0).any() for column in subject.filters.T)
