"""Make the pictures of pages in docs/images with a browser.

lgn report cifar10-classification --out page.html
python tools/make_page_images.py page.html            # page-overview.png and page-explorer.png

lgn discover digits-90 --out answer
python tools/make_page_images.py answer/answer.html   # page-answer.png
"""

import base64
import io
import shutil
import sys
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

IMAGES = Path(__file__).parents[1] / "docs" / "images"
#: Parts of the page of a run, by the name of the picture.
PARTS = {"page-overview": "overview", "page-explorer": "explorer"}
ANSWER_HEIGHT = 1080
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def browser(width: int, height: int) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*OPTIONS, f"--window-size={width},{height}"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def save(picture: bytes, name: str) -> None:
    """A PNG with 256 colours, which is enough for pages."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)


def main() -> None:
    page = Path(sys.argv[1]).resolve()
    is_answer = 'id="explorer"' not in page.read_text()
    window = browser(1100 if is_answer else 1400, ANSWER_HEIGHT if is_answer else 3200)
    window.get(page.as_uri())
    time.sleep(3)  # until the charts are drawn
    if is_answer:
        save(window.get_screenshot_as_png(), "page-answer")
    for name, part in {} if is_answer else PARTS.items():
        box = window.execute_script(
            "return arguments[0].getBoundingClientRect().toJSON()", window.find_element(By.ID, part)
        )
        clip = {"x": 0, "y": box["y"], "width": 1400, "height": box["height"], "scale": 1}
        taken = window.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        save(base64.b64decode(taken["data"]), name)
    window.quit()


if __name__ == "__main__":
    main()
