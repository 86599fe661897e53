"""The page in a browser: the numbers that it shows are compared with torch."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from lgn.actions import act, power
from lgn.analysis import Analysis
from lgn.analysis.generator import tensor
from lgn.analysis.structure import transform
from lgn.training import Run

Matrices = Callable[[Run], Tensor]
PATCH = (4, 4)


def near(found: object, expected: Tensor, tolerance: float = 1e-4) -> None:
    values = torch.tensor(found, dtype=torch.float64).reshape(expected.shape)
    torch.testing.assert_close(values, expected, atol=tolerance * max(1.0, float(expected.abs().max())), rtol=0)


def choose(browser, identifier: str, value: str) -> None:
    from selenium.webdriver.support.select import Select

    Select(browser.driver.find_element("id", identifier)).select_by_value(value)


@pytest.fixture(scope="module")
def opened(browser, page: Path):
    browser.open(page)
    return browser


class TestPage:
    """The page of one run."""

    @pytest.fixture(autouse=True)
    def _same_page(self, opened) -> Iterator[None]:
        self.browser = opened
        yield
        assert opened.complaints() == []

    def shown(self) -> list[int]:
        return [
            int(card.get_attribute("data-index")) for card in self.browser.driver.find_elements("class name", "card")
        ]

    def element(self, identifier: str):
        return self.browser.driver.find_element("id", identifier)

    def test_nothing_is_requested(self, page: Path) -> None:
        assert self.browser.run("lgn.page.runs.length") == 1
        requests = self.browser.requests()
        assert page.resolve().as_uri() in requests
        assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []

    def test_overview(self, run: Run) -> None:
        assert self.element("title").text == "digits, classification"
        accuracy = run.metrics[-1]["test_accuracy"]
        assert f"{100 * accuracy:.2f} %" in self.element("result").text
        analysis = Analysis.load(run.path / "analysis.json")
        sentences = [item.text for item in self.browser.driver.find_elements("css selector", "#findings li")]
        assert len(sentences) == len(analysis.generators)
        assert all(any(text.startswith(each.name + ":") for text in sentences) for each in analysis.generators)
        curves = self.browser.run(
            "[...document.querySelectorAll('#curves .js-plotly-plot')].map(p => p.data.map(t => t.y))"
        )
        assert [row["train_accuracy"] for row in run.metrics] in curves[0]
        assert [[row["train_loss"] for row in run.metrics]] in curves

    def test_the_slider_shows_powers(self, run: Run, generators: Matrices) -> None:
        from selenium.webdriver.common.keys import Keys

        index = self.browser.run("lgn.state.generator")
        slider = self.element("exponent")
        assert int(slider.get_attribute("max")) == 6
        slider.send_keys(Keys.HOME)
        for exponent in range(7):
            if exponent:
                slider.send_keys(Keys.ARROW_RIGHT)
            assert self.browser.run("lgn.current.exponent") == exponent
            near(self.browser.run("lgn.current.matrix"), power(generators(run)[index], exponent))

    def test_the_heat_map_is_blue_below_zero_and_orange_above(self) -> None:
        script = """(() => {
            const values = lgn.current.matrix, d = Math.sqrt(values.length);
            const canvas = document.getElementById('power-map'), zoom = canvas.width / d;
            const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const pixel = (k) => {
                const row = Math.floor((Math.floor(k / d) + 0.5) * zoom), column = Math.floor((k % d + 0.5) * zoom);
                const place = row * canvas.width + column;
                return [...image.slice(4 * place, 4 * place + 3)];
            };
            return [Math.max(...values), Math.min(...values)].map((value) => pixel(values.indexOf(value)));
        })()"""
        high, low = self.browser.run(script)
        assert high[0] > high[2]
        assert low[2] > low[0]

    def painter_buttons(self) -> dict:
        self.browser.run("document.getElementById('painter').scrollIntoView({block: 'center'})")  # clear of the bar
        return {each.text: each for each in self.browser.driver.find_elements("css selector", "#painter button")}

    def test_painting_acts_at_once(self, run: Run, generators: Matrices) -> None:
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        matrix = generators(run)[self.browser.run("lgn.state.generator")]
        buttons = self.painter_buttons()
        buttons["clear"].click()
        canvas = self.element("patch")
        size = canvas.size["width"]
        expected = torch.zeros(PATCH, dtype=torch.float64)
        for row, column, brush in ((0, 2, "+1"), (3, 1, "−1"), (1, 1, "+1")):
            buttons[brush].click()
            x, y = (column + 0.5) * size / 4 - size / 2, (row + 0.5) * size / 4 - size / 2
            ActionChains(self.browser.driver).move_to_element_with_offset(canvas, int(x), int(y)).click().perform()
            expected[row, column] = -1.0 if brush == "−1" else 1.0
        self.compare_orbit(matrix, expected)
        buttons["clear"].click()
        canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.SPACE)
        painted = torch.tensor(self.browser.run("lgn.current.acted[0]"))
        assert painted.count_nonzero() == painted.sum() == 1

    def test_given_patches(self, run: Run, generators: Matrices) -> None:
        index, buttons = self.browser.run("lgn.state.generator"), self.painter_buttons()
        basis = run.model().encoder.bank.basis.detach().double()[index, 0]
        for name, patch in (("identity", torch.eye(4, dtype=torch.float64)), ("its basis", basis)):
            buttons[name].click()
            self.compare_orbit(generators(run)[index], patch)
        buttons["crop of an image"].click()
        crop = torch.tensor(self.browser.run("lgn.current.acted[0]"), dtype=torch.float64).reshape(PATCH)
        assert 0 <= float(crop.min()) < float(crop.max()) <= 1

    def compare_orbit(self, matrix: Tensor, patch: Tensor) -> None:
        acted = self.browser.run("lgn.current.acted")
        assert len(acted) == 7
        for exponent, image in enumerate(acted):
            near(image, act(power(matrix, exponent), patch))

    def test_parts_of_the_matrix(self, run: Run, generators: Matrices) -> None:
        index = self.browser.run("lgn.state.generator")
        analysis = Analysis.load(run.path / "analysis.json")
        each = analysis.generators[index]
        assert each.identifiability is not None
        basis = tensor(each.identifiability.basis)
        near(self.browser.run("lgn.current.identifiable"), tensor(each.matrix) @ basis @ basis.T)
        for basis, patch in (("1-D", (math.prod(PATCH),)), ("2-D", PATCH)):
            near(self.browser.run(f"lgn.current.fourier['{basis}']"), transform(generators(run)[index], patch).abs())
        with torch.no_grad():
            filters = run.model().encoder.bank().double().unflatten(0, (-1, 3))[index]  # (order, channels, n, m)
        near(self.browser.run("lgn.current.sets"), filters.transpose(0, 1))

    def test_charts_have_the_numbers_of_the_analysis(self, run: Run) -> None:
        index = self.browser.run("lgn.state.generator")
        each = Analysis.load(run.path / "analysis.json").generators[index]
        traces = self.browser.run("document.getElementById('eigenvalues').data.map(t => [t.name, t.x, t.y])")
        shown = {name: torch.tensor([x, y]).T for name, x, y in traces}
        torch.testing.assert_close(shown["eigenvalues"], torch.tensor(each.spectrum.eigenvalues), atol=1e-4, rtol=0)
        roots = torch.view_as_complex(shown["roots of unity"].contiguous()).to(torch.complex128)
        torch.testing.assert_close(roots**3, torch.ones(3, dtype=torch.complex128), atol=1e-5, rtol=0)
        scores = self.browser.run("document.getElementById('scores').data.at(-1).x")
        assert scores == pytest.approx([score.score for score in each.scores])

    def test_sorting_and_filtering(self, run: Run) -> None:
        analysis = Analysis.load(run.path / "analysis.json")
        values = [next(s.score for s in g.scores if s.name == "Toeplitz") for g in analysis.generators]
        found = [bool(generator.findings) for generator in analysis.generators]
        for control, value, shown in (
            ("sort", "score Toeplitz", sorted(range(4), key=lambda g: -values[g])),
            ("sort", "place", [0, 1, 2, 3]),
            ("filter-layer", "2", [2, 3]),
            ("filter-set", "1", [2]),
            ("filter-layer", "", [0, 2]),
            ("filter-set", "", [0, 1, 2, 3]),
            ("filter-finding", "any", [g for g in range(4) if found[g]]),
            ("filter-finding", "none", [g for g in range(4) if not found[g]]),
            ("filter-finding", "", [0, 1, 2, 3]),
        ):
            choose(self.browser, control, value)
            assert self.shown() == shown
            assert self.element("count").text == f"{len(shown)} of 4"

    def test_one_scale_and_change(self, run: Run, generators: Matrices) -> None:
        start = next(value for name, value in run.initial().items() if name.endswith(".matrix")).flatten(0, 1).double()
        choose(self.browser, "show", "change")
        choose(self.browser, "scale", "one")
        most = float((generators(run) - start).abs().max())
        assert float(self.element("count").text.split(" to ")[1]) == pytest.approx(most, rel=5e-3)
        choose(self.browser, "show", "matrix")
        choose(self.browser, "scale", "own")

    def test_a_click_and_the_arrows_open_generators(self, run: Run) -> None:
        names = [each.name for each in Analysis.load(run.path / "analysis.json").generators]
        self.browser.driver.find_elements("class name", "card")[2].send_keys("\n")
        assert self.browser.run("lgn.state.generator") == 2
        assert self.element("sentence").text.startswith(names[2] + ":")
        self.element("next").click()
        self.element("next").click()
        assert self.browser.run("lgn.state.generator") == 0

    @pytest.mark.parametrize("width", [1400, 400])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_it_fits_and_follows_the_scheme(self, width: int, scheme: str, tmp_path: Path) -> None:
        self.browser.dress(width, scheme)
        wait_for(self.browser, f"document.documentElement.dataset.theme === '{scheme}' && innerWidth === {width}")
        assert self.browser.run("document.documentElement.scrollWidth") <= width
        # plotly follows in its own time
        wait_for(
            self.browser,
            "[...document.querySelectorAll('.js-plotly-plot')]"
            ".every(plot => plot._fullLayout.width <= plot.parentElement.clientWidth + 1)",
        )
        ground = self.browser.run("getComputedStyle(document.body).backgroundColor")
        brightness = sum(int(part) for part in ground.removeprefix("rgb(").removesuffix(")").split(","))
        assert (brightness < 200) == (scheme == "dark")
        assert self.browser.driver.save_screenshot(str(tmp_path / "page.png"))

    def test_the_button_switches_between_light_and_dark(self) -> None:
        self.browser.dress(1400, "light")
        wait_for(self.browser, "document.documentElement.dataset.theme === 'light'")
        self.element("theme").click()
        assert self.browser.run("document.documentElement.dataset.theme") == "dark"
        self.element("theme").click()


def wait_for(browser, condition: str) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser.driver, 60).until(lambda _: browser.run(condition))


def notes(browser) -> str:
    return " ".join(item.text for item in browser.driver.find_elements("css selector", "#notes li"))


def test_two_runs_and_a_name_that_is_a_script(browser, both_page: Path, colour_run: Run, unlabelled_run: Run) -> None:
    browser.open(both_page)
    wait_for(browser, "document.querySelectorAll('#sides h4').length === 2")
    assert "<img src=x onerror=alert(1)>" in browser.driver.find_element("id", "facts").text
    assert browser.run("document.querySelectorAll('img').length") == 0
    # three channels, each with a generator
    analyses = [Analysis.load(each.path / "analysis.json") for each in (colour_run, unlabelled_run)]
    assert browser.run("document.querySelectorAll('.card').length") == len(analyses[0].generators) == 6
    choose(browser, "filter-channel", "3")
    assert browser.run("document.querySelectorAll('.card').length") == 2
    shares = browser.run("lgn.current.shares")
    for name, pair in shares.items():
        expected = [
            sum(any(f.name == name for f in g.findings) for g in a.generators) / len(a.generators) for a in analyses
        ]
        assert pair == pytest.approx(expected)
    titles = [heading.text for heading in browser.driver.find_elements("css selector", "#sides h4")]
    browser.driver.find_elements("css selector", "#runs button")[1].click()
    assert browser.driver.find_element("id", "title").text == titles[1]
    # the other run has one generator for all layers and sets, and no labels
    assert browser.run("document.querySelectorAll('.card').length") == 1
    assert browser.run("lgn.current.sets.length") == 4
    assert "no labels" in notes(browser)
    assert browser.complaints() == []


def test_an_interrupted_run(browser, interrupted_run: Run) -> None:
    from lgn.front import write_report

    browser.open(write_report(interrupted_run.path))
    text = notes(browser)
    assert "after 1 of 2 epochs" in text
    assert "No crops" in text
    assert browser.run("document.querySelectorAll('.card').length") == 4
    assert browser.complaints() == []


def test_bare_matrices(browser, bare_page: Path) -> None:
    browser.open(bare_page)
    text = notes(browser)
    for absent in ("training curves", "change since the start", "filter sets", "identifiable", "closure", "crops"):
        assert f"No {absent}" in text
    matrix = torch.randn(3, 12, 12, generator=torch.Generator().manual_seed(0)).double()[
        browser.run("lgn.state.generator")
    ]
    eye = torch.eye(3, 4, dtype=torch.float64)
    for exponent, image in enumerate(browser.run("lgn.current.acted")):
        near(image, act(power(matrix, exponent), eye))
    near(browser.run("lgn.current.fourier['2-D']"), transform(matrix, (3, 4)).abs())
    assert browser.complaints() == []
