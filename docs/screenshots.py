"""Take the pictures of the README: `python docs/screenshots.py [--results DIR …]`, one small PNG per page in docs/images.

Without --results they show the records that come with AugBench. `--look DIR` takes every page whole instead, light and dark,
wide and narrow, to be looked at after a change.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser")]

from chromium import NoBrowser, chromium, found, serving, settled  # noqa: E402

from harness.submission.archive import unpacked  # noqa: E402

#: picture -> page and what is chosen on it
PICTURES = {
    "board": "?published=true",
    "compare": "compare",
    "explorer": "explorer?language=english&sentence=2&encoder=true",
    "quality": "quality",
    "run": "run",
    "about": "about",
}
#: what else is looked at
MORE = {
    "explorer-zh": "explorer?language=chinese&sentence=2",
    "quality-plane": "quality?show=plane",
    "quality-sensitivity": "quality?show=sensitivity",
    "quality-attention": "quality?show=attention",
}
WIDTH, HEIGHT, PHONE = 1280, 860, 390
MOST_BYTES = 150_000


def main() -> None:
    """Serve, open each page, take its picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, action="append", default=[], help="results folder; may be repeated")
    parser.add_argument(
        "--look", type=Path, help="take every page whole, in light and dark, wide and narrow, into this folder"
    )
    parser.add_argument("--only", action="append", default=[], help="only this picture; may be repeated")
    given = parser.parse_args()
    if not given.results:
        shipped = ROOT / "leaderboard" / "records.tar.xz"
        if not shipped.is_file():
            sys.exit(f"error: there is no {shipped}; name a results folder with --results DIR.")
        given.results = [unpacked(shipped)]
    pictures = {**PICTURES, **(MORE if given.look else {})}
    chosen = {name: view for name, view in pictures.items() if not given.only or name in given.only}
    out: Path = given.look or ROOT / "docs" / "images"
    out.mkdir(parents=True, exist_ok=True)
    try:
        with (
            tempfile.TemporaryDirectory() as downloads,
            chromium(Path(downloads)) as browser,
            serving(given.results) as address,
        ):
            for name, view in chosen.items():
                looks = (
                    [("light", WIDTH), ("dark", WIDTH), ("light", PHONE), ("dark", PHONE)]
                    if given.look
                    else [("light", WIDTH)]
                )
                for theme, width in looks:
                    raw = picture(
                        browser, f"{address}/{quote(view, safe='?&=/')}", theme, width, whole=bool(given.look)
                    )
                    path = out / (f"{name}-{theme}-{width}.png" if given.look else f"{name}.png")
                    path.write_bytes(raw if given.look else small(raw))
                    print(f"{os.path.relpath(path)}  {path.stat().st_size / 1000:.0f} kB")  # noqa: T201
    except NoBrowser as error:
        sys.exit(f"error: {error}")


def picture(browser: Any, address: str, theme: str, width: int, *, whole: bool) -> bytes:
    """Return a PNG of a page; `whole`: down to its end, not only what a screen shows."""
    feature = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
    _size(browser, width, HEIGHT)
    browser.get("about:blank")
    browser.get(address)
    settled(browser)
    if whole:
        height = browser.execute_script(
            "const m = document.querySelector('[data-testid=\"stMainBlockContainer\"]'); return m ? m.scrollHeight + 80 : 0"
        )
        _size(browser, width, min(5000, max(HEIGHT, int(height))))
    settled(browser)
    drawn(browser)
    raw: bytes = browser.get_screenshot_as_png()
    return raw


def drawn(browser: Any) -> None:
    """Wait until charts, tables and pictures stop changing."""
    before = -1
    for _ in range(20):
        time.sleep(0.7)
        now = browser.execute_script("return document.documentElement.outerHTML.length")
        if now == before and not found(browser, '[data-testid="stSkeleton"]'):
            return
        before = now


def small(raw: bytes) -> bytes:
    """Return a picture with as many colours as fit into `MOST_BYTES`: all of them if possible."""
    from PIL import Image

    image = Image.open(io.BytesIO(raw)).convert("RGB")
    for colours in (0, 256, 128, 64, 32):
        packed = io.BytesIO()
        # maximum coverage: a colour of few points, such as a chart's, must not become its neighbour's
        shown = image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE) if colours else image
        shown.save(packed, "PNG", optimize=True)
        if packed.tell() <= MOST_BYTES:
            break
    return packed.getvalue()


def _size(browser: Any, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


if __name__ == "__main__":
    main()
