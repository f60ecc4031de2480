"""A leaderboard that is served, and a headless Chromium to look at it: for the tests here and for docs/screenshots.py."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

#: seconds until something that should come counts as missing
WAIT = 90


class NoBrowser(Exception):
    """Chromium or its driver is not installed; the message says how to get it."""


@contextmanager
def serving(folders: Sequence[Path], *options: str) -> Iterator[str]:
    """Serve results folders as a user would; yields the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    results = [word for folder in folders for word in ("--results", str(folder))]
    command = [sys.executable, "-c", "from harness.cli import main; main()", "leaderboard", *results, *options]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([*command, "--port", str(port)], stdout=said, stderr=subprocess.STDOUT)
        try:
            _ready(process, f"http://127.0.0.1:{port}", said)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)


def _ready(process: subprocess.Popen[bytes], address: str, said: Any) -> None:
    for _ in range(4 * WAIT):
        if process.poll() is not None:
            said.seek(0)
            raise RuntimeError(f"the server ended: {said.read().decode()}")
        try:
            urlopen(f"{address}/_stcore/health", timeout=1).close()
        except OSError:
            time.sleep(0.25)
        else:
            return
    raise RuntimeError(f"no leaderboard at {address} within {WAIT} seconds")


@contextmanager
def chromium(downloads: Path) -> Iterator[Any]:
    """Start Chromium. Raises NoBrowser if a part of it is not installed."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise NoBrowser("selenium is not installed: pip install selenium") from None
    binary, driver = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if not binary or not driver:
        raise NoBrowser(
            "chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1100"):
        options.add_argument(argument)
    if os.geteuid() == 0:  # Chromium's sandbox refuses root, as which containers run
        options.add_argument("--no-sandbox")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()


def settled(browser: Any, selector: str = "h1") -> None:
    """Wait until something is there and the page no longer runs; a page that shows an exception fails."""
    until(browser, lambda: found(browser, selector))
    until(browser, lambda: found(browser, '[data-testid="stApp"][data-test-script-state="notRunning"]'))
    shown = found(browser, '[data-testid="stException"]')
    assert not shown, shown[0].text


def found(browser: Any, selector: str) -> list[Any]:
    """Return the elements of a CSS selector."""
    elements: list[Any] = browser.find_elements("css selector", selector)
    return elements


def until(browser: Any, true: Any) -> Any:
    """Wait until a condition holds; what is drawn anew while it is looked at is looked at again."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.ui import WebDriverWait

    wait = WebDriverWait(browser, WAIT, ignored_exceptions=[StaleElementReferenceException])
    return wait.until(lambda _: true())
