"""Small finished runs that the tests of sharing read."""

import pytest

from lgn.training import Run, preset, train

SIZES = {"num_layers": 2, "num_sets": 2, "group": "C2", "kernel_size": 3, "epochs": 1, "train_images": 200}


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(preset("quick", **SIZES), tmp_path_factory.mktemp("runs") / "classifier")


@pytest.fixture(scope="session")
def autoencoder(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """FISTA, a free decoder: what differs most from the classifier."""
    config = preset("released", "reconstruct", preprocess="standardise", **SIZES)
    return train(config, tmp_path_factory.mktemp("runs") / "autoencoder")
