"""The explorer of a checkout, and its page in a browser that tests can
drive."""

import shutil
import subprocess
import sys
from pathlib import Path

STATIC = "alone/static-inline-only"
CHROMIUM, DRIVER = "chromium", "chromedriver"
SWITCHES = (
    "--headless=new --no-sandbox --disable-dev-shm-usage --disable-gpu --disable-quic"
    " --no-first-run --disable-sync --disable-background-networking --disable-component-update"
    " --hide-scrollbars"
)


def explore(root: Path, results: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Runs the explorer of a checkout, as make does."""
    command = [sys.executable, "-m", "rsalab.explorer.page", str(results), str(out)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


def browser() -> object:
    """A Chromium without a window that keeps its console."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for switch in SWITCHES.split():
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which(DRIVER))
    return webdriver.Chrome(options=options, service=service)


class Page:
    """A browser with the page open."""

    def __init__(self, driver: object, out: Path) -> None:
        self.driver, self.url = driver, out.as_uri()

    def open(
        self,
        fragment: str = "",
        width: int = 1280,
        dark: bool = False,
        height: int = 900,
    ) -> "Page":
        """Loads the explorer anew, until it is drawn."""
        from selenium.webdriver.support.ui import WebDriverWait

        self.load(fragment, width, dark, height)
        WebDriverWait(self.driver, 60).until(
            lambda driver: "→" in driver.title
        )  # names a step
        return self

    def load(
        self, fragment: str, width: int, dark: bool = False, height: int = 900
    ) -> None:
        """Loads the page anew.  `width` and `height` in CSS pixels."""
        size = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": width < 800,
        }
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [scheme]}
        )
        self.driver.get("about:blank")
        self.driver.get(self.url + fragment)

    def run(self, script: str, *arguments: object) -> object:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """The text of the first element that is selected."""
        return self.run(
            "return document.querySelector(arguments[0]).textContent", selector
        )

    def texts(self, selector: str) -> list[str]:
        """The texts of all."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.run(script, selector)

    def code(self, side: int, kind: str) -> list[str]:
        """Lines of a side, 0 left and 1 right, that are `ins`, `del` or `same`."""
        self.all()
        return self.texts(f".two td.line.{kind}:nth-child({2 * side + 2}) .code")

    def all(self) -> None:
        """Has every row made, those far from the window, too."""
        self.run("lazy.all()")

    def change(self, selector: str, value: str) -> None:
        """Picks an option as a reader would."""
        from selenium.webdriver.common.by import By
        from selenium.webdriver.support.ui import Select

        Select(self.driver.find_element(By.CSS_SELECTOR, selector)).select_by_value(
            value
        )
        self.settle()

    def click(self, selector: str) -> None:
        """Clicks, wherever it lies."""
        self.run("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def press(self, *keys: str) -> None:
        """Presses keys one after the other."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
            self.settle()

    def settle(self) -> None:
        """Waits until what was asked for has been drawn."""
        self.driver.execute_async_script("setTimeout(arguments[0], 0)")

    def until(self, condition: str) -> None:
        """Waits until an expression of JavaScript is true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10).until(
            lambda _: self.run(f"return {condition}"), self.fragment
        )

    @property
    def fragment(self) -> str:
        """What the address says."""
        return self.run("return location.hash")

    @property
    def step(self) -> str:
        """`v0 → v1`."""
        return self.run("return document.querySelector('h1').firstChild.textContent")
