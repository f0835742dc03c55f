"""A headless Chromium for the tests of the report page; skips the test where there is none."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SHOWN = "Array.from(document.querySelectorAll(arguments[0])).filter((e) => !e.closest('[hidden]'))"
DRAWN = "return !document.querySelector('[data-state=waiting]') && !!document.querySelector('[data-state=drawn]')"


class Browser:
    """A driver with what the tests ask again and again."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, *, address: str = "", width: int = 1280, dark: bool = False) -> None:
        """Open the page as a desktop or, below 600 pixels, as a phone does, and wait for its charts."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get("about:blank")
        self.driver.get(f"{path.as_uri()}{address}")
        self.drawn()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str) -> None:
        """Click the first shown one, wherever on the page it is, and wait for what is drawn anew."""
        element = self.run(f"return {SHOWN}[0]", selector)
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()
        self.drawn()

    def drawn(self) -> None:
        self.until(lambda: self.run(DRAWN), "charts were not drawn")

    def until(self, condition: Callable[[], Any], message: str) -> None:
        end = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < end, message
            time.sleep(0.05)

    def count(self, selector: str) -> int:
        """How many such elements are shown."""
        return int(self.run(f"return {SHOWN}.length", selector))

    def texts(self, selector: str) -> list[str]:
        """What the shown ones say."""
        found: list[str] = self.run(f"return {SHOWN}.map((e) => e.textContent.trim())", selector)
        return found

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> set[str]:
        """Addresses that pages opened from a file asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return {one["request"]["url"] for one in sent if one["documentURL"].startswith("file:")}


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start Chromium with a profile of its own, and end it."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    binary = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
