"""A headless Chromium, driven through chromedriver by the WebDriver protocol (W3C 2018) over HTTP."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key that marks a reference to an element, a constant of the protocol."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)
LONGEST_WAIT = 60.0
DIRECT = build_opener(ProxyHandler({}))
"""Past any proxy: the driver is on this machine."""

ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue012", "\ue013", "\ue014", "\ue015"
HOME, END = "\ue011", "\ue010"


def paths() -> tuple[str, str] | None:
    """Where the browser and its driver are; None where either is absent."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which(DRIVER)
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """One browser window with its own empty profile."""

    def __init__(self, browser: str, driver: str, profile: Path) -> None:
        self._process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert self._process.stdout is not None
            ports = (re.search(r"started successfully on port (\d+)", line) for line in self._process.stdout)
            found = next(filter(None, ports), None)
            assert found is not None, f"{driver} ended without having said its port"
            self._address = f"http://127.0.0.1:{found[1]}"
            options = {"binary": browser, "args": [*FLAGS, f"--user-data-dir={profile}"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self._address += f"/session/{session['sessionId']}"
        except BaseException:
            self._process.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._ask("DELETE", "")
        finally:
            self._process.terminate()
            self._process.communicate()

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if method != "POST" else json.dumps(body if body is not None else {}).encode()
        request = Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with DIRECT.open(request, timeout=LONGEST_WAIT) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            with error:
                raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, page: Path) -> None:
        """Opens a file; comes back once it has loaded. What was logged before is forgotten."""
        self.requests()
        self._ask("POST", "/url", {"url": page.as_uri()})

    def resize(self, width: int, height: int) -> None:
        self._ask("POST", "/window/rect", {"width": width, "height": height})

    def run(self, script: str, *arguments: object) -> Any:
        """The result of a script that is run in the page."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def find(self, selector: str) -> str:
        """A reference to the first element that a CSS selector matches."""
        reference: str = self._ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        return reference

    def texts(self, selector: str) -> list[str]:
        """The text of every element that a CSS selector matches."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector
        )
        return found

    def click(self, selector: str) -> None:
        """Clicks into the middle of an element as a mouse does: whatever lies there gets it."""
        self._ask("POST", f"/element/{self.find(selector)}/click")

    def hover(self, selector: str) -> None:
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: self.find(selector)}}
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        moves = [
            {"type": "pointerMove", "duration": 0, "x": start[0], "y": start[1]},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 0, "x": (start[0] + end[0]) // 2, "y": (start[1] + end[1]) // 2},
            {"type": "pointerMove", "duration": 0, "x": end[0], "y": end[1]},
            {"type": "pointerUp", "button": 0},
        ]
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def wheel(self, at: tuple[int, int], down: int) -> None:
        turn = {"type": "scroll", "x": at[0], "y": at[1], "deltaX": 0, "deltaY": down, "duration": 0}
        self._ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [turn]}]})

    def press(self, *keys: str) -> None:
        """Presses and releases keys, one after the other, wherever the focus is."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})

    def write(self, selector: str, text: str) -> None:
        """Replaces what a field holds by typing."""
        element = self.find(selector)
        self._ask("POST", f"/element/{element}/clear")
        self._ask("POST", f"/element/{element}/value", {"text": text})

    def complaints(self) -> list[str]:
        """The console messages since the last call, except plain notes."""
        entries = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """The addresses requested since the last call."""
        entries = self._ask("POST", "/se/log", {"type": "performance"})
        messages = (json.loads(entry["message"])["message"] for entry in entries)
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def emulate(self, **media: str) -> None:
        """Sets media features such as prefers-color-scheme."""
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        command = {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}}
        self._ask("POST", "/goog/cdp/execute", command)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self._ask("POST", "/print", {"orientation": "landscape"}))
