"""The leaderboard in a real Chromium: pages open, filters filter, links lead, the CSV is the table."""

from __future__ import annotations

import csv
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "leaderboard"))
from board_records import write_board

pytestmark = pytest.mark.browser
pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

WAIT = 60
#: the boards, one per setting
TABLES = '[class*="st-key-table-"]'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("streamlit", reason="streamlit is not installed")
    folder = write_board(tmp_path_factory.mktemp("board") / "results")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from harness.cli import main; main()", "leaderboard", "--results", str(folder)]
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(4 * WAIT):
            if process.poll() is not None:
                pytest.fail(f"the server ended: {process.stdout.read().decode()}")  # type: ignore[union-attr]
            try:
                urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    binary, driver = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1100"):
        options.add_argument(argument)
    if os.geteuid() == 0:  # Chromium's sandbox refuses root, as which containers run
        options.add_argument("--no-sandbox")
    downloads = tmp_path_factory.mktemp("downloads")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    started = webdriver.Chrome(options=options, service=Service(driver))
    started.downloads = downloads  # type: ignore[attr-defined]
    yield started
    started.quit()


def settled(browser: Any, selector: str = "h1") -> None:
    """Wait until something is there and the page no longer runs."""
    WebDriverWait(browser, WAIT).until(lambda b: b.find_elements(By.CSS_SELECTOR, selector))
    WebDriverWait(browser, WAIT).until(
        lambda b: b.find_elements(By.CSS_SELECTOR, '[data-testid="stApp"][data-test-script-state="notRunning"]')
    )
    assert not browser.find_elements(By.CSS_SELECTOR, '[data-testid="stException"]')


def table(browser: Any) -> list[list[str]]:
    """What the first table shows: the grid is drawn on a canvas, and has a table for screen readers inside."""
    grid = browser.find_element(By.CSS_SELECTOR, '[data-testid="stDataFrame"] canvas table')
    found = []
    for row in grid.find_elements(By.TAG_NAME, "tr"):
        cells = row.find_elements(By.CSS_SELECTOR, '[role="gridcell"], [role="columnheader"]')
        found.append([cell.get_attribute("textContent") for cell in cells])
    return found


def test_the_csv_is_the_table(server: str, browser: Any) -> None:
    browser.get(f"{server}/?language=english")
    settled(browser, '[data-testid="stDataFrame"] canvas table')
    shown = table(browser)
    button = browser.find_element(By.CSS_SELECTOR, ".st-key-download-CSV button")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    path = browser.downloads / "augbench.csv"
    WebDriverWait(browser, WAIT).until(lambda _: path.is_file() and path.stat().st_size)
    with path.open(newline="", encoding="utf-8") as file:
        written = list(csv.reader(file))
    assert len(written) == 4
    assert shown[0] == written[0]
    for on_screen, in_file in zip(shown[1:], written[1:], strict=True):
        for seen, text in zip(on_screen, in_file, strict=True):
            # the readers' table holds the number behind `96.19 ± 0.04 ●`
            assert (seen or "") == text or float(seen) == pytest.approx(float(text.split()[0]), abs=0.0051)


def test_a_filter_changes_the_table_and_the_url(server: str, browser: Any) -> None:
    browser.get(server)
    settled(browser, '[data-testid="stDataFrame"]')
    assert len(browser.find_elements(By.CSS_SELECTOR, TABLES)) == 2
    box = browser.find_element(By.CSS_SELECTOR, ".st-key-language input")
    box.click()
    WebDriverWait(browser, WAIT).until(lambda b: b.find_elements(By.CSS_SELECTOR, '[role="option"]'))
    next(one for one in browser.find_elements(By.CSS_SELECTOR, '[role="option"]') if "chinese" in one.text).click()
    WebDriverWait(browser, WAIT).until(lambda b: "language=chinese" in b.current_url)
    WebDriverWait(browser, WAIT).until(lambda b: len(b.find_elements(By.CSS_SELECTOR, TABLES)) == 1)
    settled(browser)
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    settled(browser, '[data-testid="stDataFrame"]')
    assert len(browser.find_elements(By.CSS_SELECTOR, TABLES)) == 1


@pytest.mark.parametrize("name", ["board", "compare", "explorer", "quality", "run", "about"])
def test_every_page_opens(server: str, browser: Any, name: str) -> None:
    browser.get(f"{server}/{name if name != 'board' else ''}")
    settled(browser)
    assert browser.find_element(By.TAG_NAME, "h1").text


def test_a_page_is_reached_from_the_board(server: str, browser: Any) -> None:
    browser.get(server)
    settled(browser)
    browser.find_element(By.CSS_SELECTOR, 'a[href$="/about"]').click()
    WebDriverWait(browser, WAIT).until(lambda b: b.current_url.split("?")[0].endswith("/about"))
    settled(browser)
