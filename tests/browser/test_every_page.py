"""Every page of the client and every staff page is accessible and no wider than the screen.

`make browser` opens each page once, in English and light colours on the narrowest phone. `make nightly` looks at it in
light, dark, and forced colours, with reduced motion, and at widths from 320 to 2560 pixels, and opens it in another
language; of two widths for axe-core and of two languages each page has one, in turn. `make soak` takes all of them. The
sample has the largest amounts that there can be, and no number may leave its box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page

from tests.browser import pages
from tests.browser.conftest import (
    AT_REST,
    NARROW,
    WIDE,
    Opener,
    Site,
    StaffOpener,
    Watched,
    opened,
    scrolls_sideways,
    violations,
)
from tests.browser.sample import SampleSite, sample, with_largest_amounts
from tests.browser.speech import codes, internals, previewed
from tests.browser.test_table_layout import OUTSIDE
from tests.browser.visiting import by_reader, is_drawn

SCHEMES: dict[str, dict[str, Any]] = {
    "forced colours": {"forced_colors": "active"},
    "light": {},
    "dark": {"color_scheme": "dark"},
}
OFF = {"forced colours": ["color-contrast"]}
"""Forced colours are the system's, and Chromium reports the unforced fill of a text to axe-core."""
OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules whose findings differ between light and dark."""

PLAIN: dict[str, Any] = {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "no-preference"}

WIDTHS = {"wide": WIDE, "narrow": NARROW}
SIZES = (320, 480, 768, 1024, 1440, 2560)
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""What follows the size of the window has followed it."""

MOST_GUARANTEE = 10**10
"""The largest prizes that a tournament may guarantee, in pence."""

PHONE = {"width": 320, "height": 780}
"""The narrowest."""

pytestmark = pytest.mark.on_sqlite

ONCE, IN_TURN, ALL = "once", "in turn", "all"
every_view = pytest.mark.parametrize(
    "views",
    [ONCE, pytest.param(IN_TURN, marks=pytest.mark.nightly), pytest.param(ALL, marks=pytest.mark.soak)],
)


def widths(number: int, views: str) -> list[str]:
    """Both, or the one whose turn it is for the page with this number."""
    return list(WIDTHS) if views == ALL else [list(WIDTHS)[number % len(WIDTHS)]]


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A separate installation, so that no other test changes its content."""
    guarantee = {"RACECARD_ORGANIZER_GUARANTEE": str(MOST_GUARANTEE)}
    with opened(tmp_path_factory.mktemp("sample"), **guarantee) as site:
        yield site


@pytest.fixture(scope="module")
def sample_site(site: Site) -> SampleSite:
    workers = [site.installed.start_ticker(), site.installed.start_worker()]
    made = with_largest_amounts(site, sample(site, guarantee=MOST_GUARANTEE))
    for worker in workers:  # from here on nothing moves by itself
        worker.destroy()
    return made


def seen(page: Page, number: int, views: str, skip: Sequence[str] = ()) -> list[str]:
    """What is wrong with a page that is open, in the views."""
    if views == ONCE:
        return [*violations(page, uncertain=["target-size"], skip=skip), *beyond(page)]
    faults = []
    for width in widths(number, views):
        page.set_viewport_size(WIDTHS[width])  # type: ignore[arg-type]
        faults += [f"{width}: {fault}" for fault in in_every_colour(page, views, skip)]
    return [*faults, *overflowing(page)]


def in_every_colour(page: Page, views: str, skip: Sequence[str]) -> list[str]:
    faults = []
    for name, scheme in SCHEMES.items():
        page.emulate_media(**{**PLAIN, **scheme})
        only = [] if views == ALL or name in OFF else OF_COLOURS
        found = violations(
            page, uncertain=() if only else ["target-size"], skip=skip, off=OFF.get(name, []), only=only
        )
        faults += [f"{name}: {fault}" for fault in found]
    page.emulate_media(**{**PLAIN, "reduced_motion": "reduce"})
    page.evaluate(AT_REST)
    if page.evaluate("document.getAnimations().length"):
        faults.append("something moves despite reduced motion")
    page.emulate_media(**PLAIN)
    return faults


def overflowing(page: Page) -> list[str]:
    faults = []
    for width in SIZES:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(DRAWN)
        faults += [f"{width} pixels: {fault}" for fault in beyond(page)]
    return faults


def beyond(page: Page) -> list[str]:
    """Where a page that is open is wider than the screen, or a number than its box."""
    faults = []
    if scrolls_sideways(page):
        faults.append(f"wider than the screen: {', '.join(too_wide(page))}")
    if outside := page.evaluate(OUTSIDE):
        faults.append(f"numbers outside their boxes: {', '.join(outside)}")
    return faults


@every_view
def test_every_page_of_the_client(
    open_page: Opener, sample_site: SampleSite, site: Site, watched: Watched, views: str
) -> None:
    watched.expect("404")  # what the page of an address that is none answers
    faults: list[str] = []
    for who, looked_at in by_reader():
        page = open_page("/", user=user_of(who, sample_site), viewport=PHONE)
        for one in looked_at:
            page.goto(site.address + one.path(sample_site))
            is_drawn(page)
            found = [*too_small(page), *seen(page, pages.CLIENT.index(one), views)]
            faults += [f"{one.name}, {fault}" for fault in found]
    assert not faults, listed(faults)


def user_of(who: str, sample_site: SampleSite) -> str:
    """The name that a reader signs in with; none for a guest."""
    return {pages.GUEST: "", pages.PLAYER: sample_site.name}.get(who, who)


def listed(faults: Sequence[str]) -> str:
    return "\n\n".join(faults)


TRANSLATIONS = ("de", "pl")


@pytest.mark.parametrize(
    "views", [pytest.param(IN_TURN, marks=pytest.mark.nightly), pytest.param(ALL, marks=pytest.mark.soak)]
)
def test_no_page_is_wider_than_the_screen_in_another_language(
    open_page: Opener, sample_site: SampleSite, site: Site, watched: Watched, views: str
) -> None:
    watched.expect("404")
    faults: list[str] = []
    for who, looked_at in by_reader():
        page = open_page("/", user=user_of(who, sample_site))
        for number, language in enumerate(TRANSLATIONS):
            page.evaluate("language => localStorage.setItem('racecard.language', language)", language)
            for one in looked_at if views == ALL else looked_at[number :: len(TRANSLATIONS)]:
                page.goto(site.address + one.path(sample_site))
                is_drawn(page)
                faults += [f"{one.name}, {language}: {fault}" for fault in overflowing(page)]
    assert not faults, listed(faults)


def too_wide(page: Page) -> list[str]:
    """The elements that reach beyond the screen, of which none is in another."""
    return list(
        page.evaluate("""() => {
            const beyond = [...document.body.querySelectorAll('*')].filter(
                (one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
            return beyond
                .filter((one) => !beyond.some((other) => other !== one && one.contains(other)))
                .map((one) => `${one.localName}.${one.getAttribute('class')}: ${one.textContent.trim().slice(0, 60)}`)
        }""")
    )


SMALL = """(least) => [...document.querySelectorAll("a, button, input, select, summary, textarea")].flatMap((one) => {
  const style = getComputedStyle(one);
  const isSeen = one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && style.clipPath === "none";
  if (!isSeen || one.closest(".visually-hidden") || (one.matches("a") && style.display === "inline")) return [];
  const isLine = getComputedStyle(one, "::after").position === "absolute";  // the whole line is the link
  const target = one.matches("[type=checkbox], [type=radio]") ? one.closest("label") : isLine ? one.parentElement : one;
  const { width, height } = (target ?? one).getBoundingClientRect();
  if (width === 0 || Math.min(width, height) > least - 0.5) return [];
  return [`${one.localName} ${width}x${height}: ${one.textContent.trim().slice(0, 40)}`];
})"""
LEAST_TARGET = 28
"""Pixels to a side of what is pressed, except links in a text."""


def too_small(page: Page) -> list[str]:
    return [f"smaller than {LEAST_TARGET} pixels: {one}" for one in page.evaluate(SMALL, LEAST_TARGET)]


@every_view
@pytest.mark.parametrize("who", ["administrator", "auditor"])
def test_every_staff_page(
    staff_page: StaffOpener, sample_site: SampleSite, site: Site, who: str, views: str
) -> None:
    """The sidebar, which is the same on all, is checked on the first only."""
    page = staff_page(who, viewport=PHONE)
    addresses = staff_client(who, sample_site) | (lists(page) if who == "administrator" else {})
    faults: list[str] = []
    skip: list[str] = []
    for number, (name, path) in enumerate(addresses.items()):
        answer = page.goto(f"{site.address}/admin/{path}")
        assert answer is not None
        assert answer.status == 200, (name, path, answer.status)
        page.evaluate("document.querySelectorAll('#content details').forEach((one) => (one.open = true))")
        found = [*codes(page), *seen(page, number, views, skip)]
        faults += [f"{name}, {fault}" for fault in found]
        if page.locator("#nav-sidebar").count():
            skip = ["#nav-sidebar"]
    assert not faults, listed(faults)


def staff_client(who: str, sample_site: SampleSite) -> dict[str, str]:
    return {name: path(sample_site) for name, path in pages.STAFF.items() if pages.visited_by(name) == who}


def lists(page: Page) -> dict[str, str]:
    """Every list that the first page links to."""
    links = page.locator("#content-main th a").evaluate_all("links => links.map(link => link.pathname)")
    return {path: path.removeprefix("/admin/") for path in links}


REASON = {"Reason": "seen in a browser"}
GIVEN: dict[str, dict[str, str]] = {
    "player-roles": {"Auditor": "on"},
    "player-rename": {"Username": "mara-the-second"},
    "deposit": {"Amount": "5.00"},
    "stake-table-terms": {"Maximum": "208.00"},
    "dispute-corrected": {"Cards on the foundations": "20"},
    "stake-table-fund": {"Amount": "5.00"},
    "stake-table-defund": {"Amount": "5.00"},
    "stake-table-open": {
        "Name": "a-new-table", "Game": "Ace Race", "Minimum": "1.00", "Maximum": "9.00", "Step": "1.00",
        "Default": "2.00",
    },
    "limit": {"Player": "piet", "Amount": "50.00"},
    "stop": {"Player": "piet", "Hours": "24"},
    "dispute-pin": {"What it shows": "seen in a browser"},
    "tournament-draft": {"Name": "A summer evening"},
    "tournament-role": {"Player": "owen"},
    "market-settle": {"Spades": "on"},
    "market-resettle": {"Spades": "on"},
    "tournament-pair": {"Player": "joan", "Other player": "luca"},
}  # fmt: skip
"""What is entered besides the reason, by label."""
REFUSED = {
    "jobs-retry",
    "payout-reinstate",
    "pot-resettle",
    "tournament-correct",
    "dispute-points",
    "tournament-drop-pairing",
    "dispute-appeal",
}
"""Dialogs whose action is not possible in the sample: they show why, and no preview."""


@pytest.mark.nightly
def test_every_dialog_names_people_and_money(
    staff_page: StaffOpener, sample_site: SampleSite, site: Site
) -> None:
    faults: list[str] = []
    refused = set()
    for who in ("administrator", "auditor"):
        page = staff_page(who)
        for name, path in staff_client(who, sample_site).items():
            page.goto(f"{site.address}/admin/{path}")
            if not page.locator("#content form.command").count():
                continue
            faults += [f"{name} {fault}" for fault in internals(page)]
            has_reason = page.locator("#content form.command [name=reason]").count() > 0
            given = {**(REASON if has_reason and name != "dispute-pin" else {}), **GIVEN.get(name, {})}
            if name == "payout-batch-pay":
                given = {"Checksum": checksum(page, site, sample_site)}
                page.goto(f"{site.address}/admin/{path}")
            if previewed(page, given):
                faults += [f"{name}, preview {fault}" for fault in [*codes(page), *internals(page)]]
            else:
                refused.add(name)
                assert page.locator("#content .errorlist").count(), name
    assert not faults, listed(faults)
    assert refused == REFUSED


def checksum(page: Page, site: Site, sample_site: SampleSite) -> str:
    """Return the checksum that the page of the sample's batch shows."""
    page.goto(f"{site.address}/admin/ledger/payoutbatch/{sample_site.rows['batch']}/change/")
    return page.locator(".field-file code").inner_text()


EMBEDS = ("standings", "bracket")
THEMES = ("", "?theme=light", "?theme=dark&lang=de")


@every_view
def test_every_embed(
    open_page: Opener, sample_site: SampleSite, site: Site, watched: Watched, views: str
) -> None:
    watched.expect("404")  # a tournament that does not exist
    page = open_page("/", viewport=PHONE)
    faults: list[str] = []
    shown = [f"{sample_site.tournaments[one]}/{kind}/" for one in ("knockout", "swiss") for kind in EMBEDS]
    for number, path in enumerate([*shown, f"{UUID(int=0)}/standings/"]):
        for theme in THEMES[:1] if views == ONCE else THEMES:
            page.goto(f"{site.address}/embed/tournaments/{path}{theme}")
            faults += [f"{path}{theme}: {fault}" for fault in seen(page, number, views)]
    assert not faults, listed(faults)
