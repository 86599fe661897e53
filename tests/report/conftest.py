"""Real runs, small enough for tests, their pages, and a browser to look at them with."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import lgn.data
from lgn.front import analyze, write_report
from lgn.training import Config, Run, preset, train

EVIL = "<img src=x onerror=alert(1)>"


def small(data: str, **changes: object) -> Config:
    settings = {"num_layers": 2, "num_sets": 2, "group": "C3", "kernel_size": 4, "batch_size": 32, "epochs": 2}
    return preset("quick", data=data, device="cpu", **(settings | changes))  # type: ignore[arg-type]


def trained(config: Config, out: Path) -> Run:
    """A run with an analysis of few draws: the page reads it, and the tests stay fast."""
    run = train(config, out)
    analyze(run, draws=20).save(run.path / "analysis.json")
    return run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Digits, classification: four generators, each with one basis."""
    return trained(small("digits", train_images=200), tmp_path_factory.mktemp("runs") / "digits")


@pytest.fixture(scope="session")
def colour_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three channels, a generator for each, and a class whose name would like to be a script."""
    folder = tmp_path_factory.mktemp("colour")
    digits = lgn.data.load("digits").train.samples[:40, 0, ::2, ::2].numpy()
    for place, image in enumerate(digits):
        directory = folder / (EVIL if place % 2 else "plain & simple")
        directory.mkdir(exist_ok=True)
        colour = np.stack([image, image.T, 255 - image], axis=-1)
        Image.fromarray(np.ascontiguousarray(colour)).save(directory / f"{place}.png")
    config = small(str(folder), share="channel", num_sets=1, epochs=1, batch_size=16)
    return trained(config, tmp_path_factory.mktemp("runs") / "colour")


@pytest.fixture(scope="session")
def unlabelled_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Images without labels: reconstruction, with one generator for the whole network."""
    folder = tmp_path_factory.mktemp("unlabelled")
    np.savez(folder / "images.npz", images=lgn.data.load("digits").train.samples[:60, 0, ::2, ::2].numpy())
    config = small(str(folder / "images.npz"), share="network", epochs=1, batch_size=16)
    return trained(config, tmp_path_factory.mktemp("runs") / "unlabelled")


@pytest.fixture(scope="session")
def interrupted_run(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What is left of a run that was stopped in its second epoch; its images have gone too."""
    path = tmp_path_factory.mktemp("runs") / "interrupted"
    shutil.copytree(run.path, path)
    (path / "model.safetensors").unlink()
    metrics = (path / "metrics.jsonl").read_text().splitlines()
    (path / "metrics.jsonl").write_text(metrics[0] + "\n")
    config = json.loads((path / "config.json").read_text())
    config["config"]["data"] = str(path / "gone")
    (path / "config.json").write_text(json.dumps(config))
    return Run.open(path)


@pytest.fixture(scope="session")
def page(run: Run) -> Path:
    return write_report(run.path)


@pytest.fixture(scope="session")
def both_page(colour_run: Run, unlabelled_run: Run) -> Path:
    return write_report(colour_run.path, against=unlabelled_run.path)


@pytest.fixture(scope="session")
def bare_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matrices without any other information, for a patch that is not square."""
    path = tmp_path_factory.mktemp("bare") / "matrices.npz"
    matrices = torch.randn(3, 12, 12, generator=torch.Generator().manual_seed(0)).numpy()
    np.savez(path, matrices=matrices)
    return write_report(path, patch=(3, 4))


class Browser:
    """Chromium without a window, and what it has complained about."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, width: int = 1400, scheme: str = "light") -> None:
        """Load a page from its file, and forget what was said before."""
        self.dress(width, scheme)
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.driver.get(path.resolve().as_uri())

    def dress(self, width: int, scheme: str) -> None:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        # Without motion: a click must not meet a page that is still scrolling.
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run(self, script: str) -> Any:
        return self.driver.execute_script(f"return {script}")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent if not each["documentURL"].startswith("chrome://")]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver_path is None:
        pytest.skip("needs a browser: apt-get install -y --no-install-recommends chromium chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    quiet = ("no-first-run", "disable-background-networking", "disable-component-update", "disable-sync")
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "hide-scrollbars", *quiet):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    # On a machine that is busy with something else all this may take its time.
    driver.command_executor.client_config.timeout = 600
    driver.set_page_load_timeout(500)
    driver.set_script_timeout(500)
    driver.get("about:blank")
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def generators() -> Callable[[Run], torch.Tensor]:
    """The matrices of a run as the page must have them, (G, d, d) in float64."""

    def matrices(run: Run) -> torch.Tensor:
        with torch.no_grad():
            return run.model().encoder.bank.generator.matrix().flatten(0, 1).double()  # type: ignore[union-attr, operator]

    return matrices
