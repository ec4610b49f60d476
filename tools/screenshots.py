"""`make screenshots`: the pictures of docs/screens.md, and that page.

`--all FOLDER` takes a picture of every page at both widths, light and dark, to review a change. The pages are those of
an installation in the middle of an evening, which the tests of the browser set up.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import django
from playwright.sync_api import Browser, Page, sync_playwright

from tools import browser, frontend

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()  # the modules of tests need it

from tests.browser import pages  # noqa: E402
from tests.browser.conftest import CHROMIUM_OPTIONS, NARROW, WIDE, Site, opened, sign_in  # noqa: E402
from tests.browser.sample import SampleSite, sample  # noqa: E402
from tests.browser.visiting import by_reader, come_in, is_drawn  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "screenshots"
PAGE = ROOT / "docs" / "screens.md"
WIDTHS = {"wide": WIDE, "narrow": NARROW}
SHOWN = {
    "lobby-wide": "The lobby: your turn, games, open tables, and tournaments",
    "my-games-wide": "A player's games",
    "vegas-solitaire-wide": "Vegas Solitaire",
    "vegas-solitaire-narrow": "Vegas Solitaire on a phone",
    "idle-aces-wide": "Idle Aces",
    "ace-race-wide": "Ace Race among four players",
    "racing-demons-wide": "Racing Demons among four players",
    "racing-aces-wide": "Racing Aces with its market",
    "replay-wide": "The replay of a finished game",
    "tournament-running-wide": "A tournament in progress",
    "wizard-wide": "A new tournament, from presets",
    "run-wide": "The page from which an organizer runs a tournament",
    "staff-dashboard-wide": "The dashboard of the staff pages",
    "staff-console-wide": "The organizer's console of a tournament",
    "staff-dispute-wide": "A dispute, for the auditor who decides it",
}
"""The pictures that the documentation shows, by name and width."""

LARGEST = 60_000
"""Bytes of a picture."""

QUALITIES = (70, 60, 45, 30, 15)


def picture(page: Page) -> bytes:
    """The visible page as WebP, in the best quality that fits."""
    session = page.context.new_cdp_session(page)
    for quality in QUALITIES:
        sent = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        data = base64.b64decode(sent["data"])
        if len(data) <= LARGEST:
            break
    session.detach()
    return data


def client(chromium: Browser, site: Site, sample_site: SampleSite, take: Take) -> None:
    for who, opened_by in by_reader():
        for look in take.looks({one.name for one in opened_by}):
            page = _context(chromium, look)
            come_in(page, site, sample_site, who)
            for one in opened_by:
                if file := take.file(one.name, look):
                    page.goto(site.address + one.path(sample_site))
                    is_drawn(page)
                    page.wait_for_timeout(500)  # for what is loaded after the heading
                    file.write_bytes(picture(page))
            page.context.close()


def staff(chromium: Browser, site: Site, sample_site: SampleSite, take: Take) -> None:
    for who in ("administrator", "auditor"):
        names = {name: f"staff-{name}" for name in pages.STAFF if pages.visited_by(name) == who}
        for look in take.looks(set(names.values())):
            page = _context(chromium, look)
            sign_in(page.context, site.address, who, site.passwords[who])
            for name, picture_name in names.items():
                if file := take.file(picture_name, look):
                    page.goto(f"{site.address}/admin/{pages.STAFF[name](sample_site)}")
                    file.write_bytes(picture(page))
            page.context.close()


@dataclass(frozen=True, slots=True)
class Look:
    width: str
    scheme: Literal["light", "dark"] = "light"


@dataclass(frozen=True, slots=True)
class Take:
    """Which pictures are taken: those of the documentation, or all of them into a folder."""

    everything: Path | None

    def looks(self, names: set[str]) -> list[Look]:
        """The widths and colour schemes in which at least one of the pages is pictured."""
        every = [Look(width, scheme) for width in WIDTHS for scheme in ("light", "dark")]
        return [look for look in every if any(self.file(name, look) for name in names)]

    def file(self, name: str, look: Look) -> Path | None:
        if self.everything is not None:
            return self.everything / f"{name}-{look.width}-{look.scheme}.webp"
        shown = look.scheme == "light" and f"{name}-{look.width}" in SHOWN
        return FOLDER / f"{name}-{look.width}.webp" if shown else None


def _context(chromium: Browser, look: Look) -> Page:
    context = chromium.new_context(
        viewport=WIDTHS[look.width],  # type: ignore[arg-type]
        color_scheme=look.scheme,
        locale="en-GB",
        timezone_id="Europe/London",
        reduced_motion="reduce",
    )
    context.add_init_script(frontend.TIPS_SEEN)
    return context.new_page()


def shown() -> str:
    """docs/screens.md."""
    pictures = (f"## {caption}\n\n![{caption}](screenshots/{name}.webp)\n" for name, caption in SHOWN.items())
    return "\n".join(
        [
            "# Screens\n\n`make screenshots` takes these pictures from an installation with sample data. The table of"
            "\na game is one folder of the web client; [adding-a-game.md](adding-a-game.md#in-this-project) describes"
            "\nhow one is added.\n",
            *pictures,
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots")
    parser.add_argument(
        "--all", type=Path, metavar="FOLDER", help="every page, at both widths, light and dark"
    )
    parser.add_argument("--page", action="store_true", help="write docs/screens.md and take no picture")
    arguments = parser.parse_args()
    if arguments.all is None:
        PAGE.write_text(shown())
    if arguments.page:
        return 0
    found = os.environ.get("RACECARD_CHROMIUM") or browser.find()
    if found is None:
        print("racecard: no Chromium on PATH. Install it (Debian: apt-get install chromium) and try again.")
        return 1
    frontend.build()
    folder = arguments.all or FOLDER
    folder.mkdir(exist_ok=True, parents=True)
    take = Take(arguments.all)
    with tempfile.TemporaryDirectory() as data, opened(Path(data) / "house") as site:
        workers = [site.installed.start_ticker(), site.installed.start_worker()]
        sample_site = sample(site)
        for worker in workers:
            worker.destroy()
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=found, args=CHROMIUM_OPTIONS)
            client(chromium, site, sample_site, take)
            staff(chromium, site, sample_site, take)
            chromium.close()
    if arguments.all is None:
        for old in {file for file in FOLDER.glob("*.webp") if file.stem not in SHOWN}:
            old.unlink()
    taken = list(folder.glob("*.webp"))
    print(f"racecard: {len(taken)} pictures, {sum(one.stat().st_size for one in taken) // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
