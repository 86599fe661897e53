"""Make the pictures of the page in docs/images: a real browser opens a page and takes each part of it.

lgn report RUN --out page.html
python tools/make_page_images.py page.html

lgn discover rotated-mnist-90 --out RUN
python tools/make_page_images.py RUN/report.html --answer
"""

import argparse
import base64
import io
import shutil
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PARTS = {"page-overview": "overview", "page-explorer": "explorer"}

#: A browser that shows nothing, and asks nobody.
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def browser(width: int, height: int) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*QUIET, f"--window-size={width},{height}"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def keep(picture: bytes, name: str) -> None:
    """As few bytes as a page of flat colours needs."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)


def first_screen(page: str, name: str, width: int, height: int) -> None:
    """What is seen without scrolling."""
    window = browser(width, height)
    window.get(page)
    time.sleep(3)  # charts are drawn
    keep(window.get_screenshot_as_png(), name)
    window.quit()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--answer", action="store_true", help="only its first screen, of a run that has an answer")
    options = parser.parse_args()
    page = options.page.resolve().as_uri()
    if options.answer:
        first_screen(page, "page-answer", 1360, 700)
        return
    wide = browser(1400, 3200)
    wide.get(page)
    time.sleep(3)  # charts are drawn
    for name, part in PARTS.items():
        element = wide.find_element(By.ID, part)
        box = wide.execute_script("return arguments[0].getBoundingClientRect().toJSON()", element)
        top = wide.execute_script("return window.scrollY") + box["y"]
        clip = {"x": 0, "y": top, "width": 1400, "height": box["height"], "scale": 1}
        taken = wide.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        keep(base64.b64decode(taken["data"]), name)
    wide.quit()


if __name__ == "__main__":
    main()
