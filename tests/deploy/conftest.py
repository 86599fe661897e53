"""Small finished runs that the tests of sharing read."""

import dataclasses

import pytest

from lgn.training import Config, Run, preset, train

TINY = preset("quick", num_layers=2, num_sets=2, group="C2", kernel_size=3, epochs=1, train_images=200)


def tiny(**changes: object) -> Config:
    return dataclasses.replace(TINY, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(TINY, tmp_path_factory.mktemp("runs") / "classifier")


@pytest.fixture(scope="session")
def autoencoder(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """FISTA, a free decoder: what differs most from the classifier."""
    config = preset(
        "released", "reconstruct", num_layers=2, num_sets=2, group="C2", kernel_size=3, epochs=1, train_images=200
    )
    config = dataclasses.replace(config, preprocess="standardise")
    return train(config, tmp_path_factory.mktemp("runs") / "autoencoder")
