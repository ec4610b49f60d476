"""`make screenshots`: a picture of every page at both widths in docs/screenshots/, and docs/screens.md that shows them.

A house is made as the tests of the pages make it, in the middle of an evening. `--only NAME` makes some pictures anew.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import pages
from tests.browser.conftest import CHROMIUM_OPTIONS, NARROW, WIDE, House, opened
from tests.browser.evening import Evening, evening
from tests.browser.looking import by_reader, come_in, is_drawn
from tests.browser.test_office import sign_in
from tools import browser, frontend

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "screenshots"
PAGE = ROOT / "docs" / "screens.md"
WIDTHS = {"wide": WIDE, "narrow": NARROW}
LARGEST = 60_000
"""Bytes of a picture."""

QUALITIES = (70, 60, 45, 30, 15)


def picture(page: Page) -> bytes:
    """What is seen, as WebP, as sharp as fits."""
    session = page.context.new_cdp_session(page)
    for quality in QUALITIES:
        told = {"format": "webp", "quality": quality}
        data = base64.b64decode(session.send("Page.captureScreenshot", told)["data"])
        if len(data) <= LARGEST:
            break
    session.detach()
    return data


def file_of(name: str, width: str) -> Path:
    return FOLDER / f"{name}-{width}.webp"


def client(chromium: Browser, house: House, tonight: Evening, width: str, names: Sequence[str]) -> None:
    for who, looked_at in by_reader():
        page = _context(chromium, width)
        come_in(page, house, tonight, who)
        for one in looked_at:
            if one.name in names:
                page.goto(house.address + one.path(tonight))
                is_drawn(page)
                page.wait_for_timeout(500)  # for what is loaded behind the heading
                file_of(one.name, width).write_bytes(picture(page))


def office(chromium: Browser, house: House, tonight: Evening, width: str, names: Sequence[str]) -> None:
    for who in ("administrator", "auditor"):
        page = _context(chromium, width)
        page.goto(f"{house.address}/admin/")
        sign_in(page, house, who)
        for name in pages.PICTURED:
            if f"office-{name}" in names and pages.looked_at_by(name) == who:
                page.goto(f"{house.address}/admin/{pages.OFFICE[name](tonight)}")
                file_of(f"office-{name}", width).write_bytes(picture(page))


def _context(chromium: Browser, width: str) -> Page:
    return chromium.new_context(
        viewport=WIDTHS[width],  # type: ignore[arg-type]
        locale="en-GB",
        timezone_id="Europe/London",
        reduced_motion="reduce",
    ).new_page()


def every_name() -> list[str]:
    return [*(one.name for one in pages.CLIENT), *(f"office-{name}" for name in pages.PICTURED)]


def shown() -> str:
    """docs/screens.md."""
    return f"""\
# Every page, in pictures

A house in the middle of an evening: {len(every_name())} pages, each on a desk (1280 pixels) and on a phone (360).
`make screenshots` takes the pictures anew.

## The web client

{_table((one.name, one.told) for one in pages.CLIENT)}
## The back office

{_table((f"office-{name}", told) for name, told in pages.PICTURED.items())}"""


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = ["| | on a desk | on a phone |", "|---|---|---|"]
    for name, told in rows:
        wide, narrow = (f"screenshots/{file_of(name, width).name}" for width in WIDTHS)
        lines.append(
            f'| {told} | <img src="{wide}" width="480" alt="{told}"> | '
            f'<img src="{narrow}" width="140" alt="{told}, on a phone"> |'
        )
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots")
    parser.add_argument("--only", action="append", choices=every_name())
    parser.add_argument("--page", action="store_true", help="write docs/screens.md and take no picture")
    arguments = parser.parse_args()
    PAGE.write_text(shown())
    if arguments.page:
        return 0
    found = os.environ.get("RACECARD_CHROMIUM") or browser.find()
    if found is None:
        print("racecard: no Chromium on PATH. Install it (Debian: apt-get install chromium) and try again.")
        return 1
    frontend.build()
    FOLDER.mkdir(exist_ok=True)
    names = arguments.only or every_name()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "house") as house:
        workers = [house.installed.start_ticker(), house.installed.start_worker()]
        tonight = evening(house)
        for worker in workers:
            worker.destroy()
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=found, args=CHROMIUM_OPTIONS)
            for width in WIDTHS:
                client(chromium, house, tonight, width, names)
                office(chromium, house, tonight, width, names)
            chromium.close()
    if not arguments.only:
        wanted = {file_of(name, width) for name in names for width in WIDTHS}
        for old in set(FOLDER.glob("*.webp")) - wanted:
            old.unlink()
    print(f"racecard: {len(names)} pages, {sum(one.stat().st_size for one in FOLDER.glob('*')) // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
