"""A real server and a real Chromium. Every page must keep to its Content-Security-Policy and log no error."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import httpx
import pytest
from django.db import connection
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Response,
    expect,
    sync_playwright,
)

from rest.scopes import STAFF
from tests.conftest import PLAYER_SCOPES
from tests.installation import Installation, installation
from tools.frontend import TIPS_SEEN
from tools.stories import database_of

expect.set_options(timeout=30_000)  # milliseconds; on a machine that has other things to do too

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BEYOND = ["heading-order"]
"""Rules of axe-core that no success criterion asks for, and every page keeps to."""
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AT_REST = """() => Promise.all(
    document.getAnimations()
        .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
        .map((one) => one.finished.catch(() => {})),
)"""
"""What appears or changes slowly has done so."""
COVERED = re.compile('face-down card|data-pile="waste"')
"""Cards under others that cannot be taken: they are there to be counted, and are no targets."""

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 780}
NO_ADDRESS = re.compile("^$")

SLOW = "RACECARD_SLOW_PAGES" in os.environ
"""Whether answers come late, as to a phone far away (`make browser ARGS=--slow`)."""
LATENCY = 400  # milliseconds
THROTTLED = "RACECARD_THROTTLED_PAGES" in os.environ
"""Whether the browser's processor is slow, as a phone's (`make browser ARGS=--throttled`)."""
THROTTLING = 4

PASSWORD = "correct horse battery"
"""Of every player whom a story makes."""

PATIENCE = 900
"""Seconds for one test. Some open dozens of pages while another browser runs on the same machine."""

ColourScheme = Literal["light", "dark"]


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """The database that a marked test runs on."""
    return str(request.param)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that must run on certain databases has their names in its id, by which `tools.stories` assigns it."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    names = (
        ["sqlite", "postgresql"] if "both_databases" in marks else ["sqlite"] if "on_sqlite" in marks else []
    )
    if names:
        metafunc.fixturenames.append("database")
        metafunc.parametrize("database", names, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    if "PYTEST_XDIST_WORKER" not in os.environ:  # a plain pytest, on one database
        away = [item for item in items if database_of(item.nodeid) not in {None, connection.vendor}]
        config.hook.pytest_deselected(items=away)
        items[:] = [item for item in items if item not in away]
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(PATIENCE))


class Site:
    """The server under test, and its REST API."""

    def __init__(self, installed: Installation, passwords: dict[str, str]) -> None:
        self.address = installed.address
        self.passwords = passwords
        self.installed = installed
        self._callers: dict[tuple[str, str], Caller] = {}

    def errors(self) -> str:
        """The last defects in the server's log, with their tracebacks."""
        said = "\n".join(process.said() for process in self.installed.processes)
        return "\n".join([line for line in said.splitlines() if "error" in line.lower()][-20:])

    def sign_in(self, username: str, password: str) -> Caller:
        """The caller with the token of this person, which is made once."""
        person = username, password
        if person not in self._callers:
            self._callers[person] = self._sign_in(username, password)
        return self._callers[person]

    def _sign_in(self, username: str, password: str) -> Caller:
        scopes = [*PLAYER_SCOPES, *(scope for scope in STAFF if scope == f"staff:{username}")]
        body = {"username": username, "password": password, "scopes": scopes}
        answer = httpx.post(f"{self.address}/api/v1/tokens/", json=body, timeout=30)
        answer.raise_for_status()
        return Caller(self.address, answer.json()["token"], answer.json()["player"])

    def staff(self, username: str) -> Caller:
        return self.sign_in(username, self.passwords[username])

    def newcomer(self, username: str) -> Caller:
        form = {"username": username, "password": PASSWORD}
        httpx.post(f"{self.address}/api/v1/players/", json=form, timeout=30).raise_for_status()
        self.passwords[username] = PASSWORD
        return self.sign_in(username, PASSWORD)


@dataclass(frozen=True, slots=True)
class Caller:
    address: str
    token: str
    player: str

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = httpx.post(
            f"{self.address}/api/v1/{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.token}", "Idempotency-Key": secrets.token_hex(8)},
            timeout=30,
        )
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return dict(answer.json())

    def put(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = httpx.put(
            f"{self.address}/api/v1/{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=30,
        )
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return dict(answer.json())

    def get(self, path: str) -> dict[str, Any]:
        answer = httpx.get(
            f"{self.address}/api/v1/{path}", headers={"Authorization": f"Bearer {self.token}"}, timeout=30
        )
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return dict(answer.json())


@contextlib.contextmanager
def opened(
    folder: Path, kind: type[Installation] = Installation, *, has_people: bool = True, **environment: str
) -> Iterator[Site]:
    """An installation with a web server, without a worker; with the sample people and money if it `has_people`."""
    with installation(kind(folder, RACECARD_DISPUTE_SECOND_PERSON="XTS=100", **environment)) as installed:
        installed.migrate()
        passwords = sample_people(installed) if has_people else {}
        installed.serve_web()
        yield Site(installed, passwords)


def sample_people(installed: Installation) -> dict[str, str]:
    """Add the sample people and money; the passwords by name."""
    installed.manage("demo_data")
    lines = (installed.folder / "data" / "demo-passwords.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if " " in line)


@pytest.fixture(scope="session")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with opened(tmp_path_factory.mktemp("house")) as site:
        yield site


@pytest.fixture(scope="session")
def chromium(django_db_setup: None) -> Iterator[Browser]:
    """Started after the test database: Playwright leaves an event loop running, in which Django refuses to connect."""
    path = os.environ.get("RACECARD_CHROMIUM") or shutil.which("chromium")
    assert path, "no Chromium; run these tests by `make browser`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


_examined: set[Page] = set()
"""Pages in which axe-core is at work: it styles elements to measure them, which their policy refuses and logs."""


def _is_answer(message: ConsoleMessage) -> bool:
    """Whether Chromium reports an answer of allauth: 401 says what is left to do, and 404 what is not set up."""
    refused = re.search(r"responded with a status of (400|401|404)", message.text)
    return bool(refused) and "/_allauth/" in message.location["url"]


class Watched:
    """What went wrong on the pages of one test: console errors, exceptions, refused sources, server errors."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._expected: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and message.page not in _examined and not _is_answer(message):
            self.faults.append(f"console: {message.text} {message.location['url']}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.faults.append(f"{response.status} {response.url}")

    def expect(self, pattern: str) -> None:
        """Faults that the test itself causes are not held against the page, whenever they come in."""
        self._expected.append(pattern)

    def unexpected(self) -> list[str]:
        return [
            fault for fault in self.faults if not any(re.search(pattern, fault) for pattern in self._expected)
        ]


@pytest.fixture(scope="module")
def rounds_continue(site: Site) -> Iterator[None]:
    """Jobs deal and close the rounds of tournaments, so a ticker and a worker run."""
    processes = [site.installed.start_ticker(), site.installed.start_worker()]
    yield
    for process in processes:
        process.stop()


@pytest.fixture
def watched(site: Site) -> Iterator[Watched]:
    one = Watched()
    yield one
    assert one.unexpected() == [], site.errors()


def sign_in(context: BrowserContext, address: str, name: str, password: str, way: str = "login") -> None:
    """Sign a browser in by the API of the pages: as somebody known, or as a new player with the `way` "signup"."""
    token = secrets.token_hex(16)
    context.add_cookies([{"name": "csrftoken", "value": token, "url": address}])
    answer = context.request.post(
        f"{address}/_allauth/browser/v1/auth/{way}",
        data={"username": name, "password": password},
        headers={"X-CSRFToken": token},
    )
    assert answer.ok, answer.text()


Opener = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser, site: Site, watched: Watched) -> Iterator[Opener]:
    """open_page(path, user=…, viewport=…, colours=…, language=…): a page in a separate browser profile.

    The browser is signed in as the `user`.

    The browser has shown the tips of all games, unless the test wants to see the `tips`.

    A test that routes requests of a loaded page opens it with `intercepted`. Chromium lets requests pass for a moment
    after the first route is set, so that one is set before the page is loaded.
    """
    contexts = []

    def open_one(
        path: str,
        *,
        user: str = "",
        viewport: dict[str, int] = WIDE,
        colours: ColourScheme = "light",
        language: str = "en-GB",
        forced_colours: bool = False,
        reduced_motion: bool = False,
        touch: bool = False,
        intercepted: bool = False,
        tips: bool = False,
        address: str = site.address,
    ) -> Page:
        context = chromium.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            color_scheme=colours,
            locale=language,
            forced_colors="active" if forced_colours else "none",
            reduced_motion="reduce" if reduced_motion else "no-preference",
            has_touch=touch,
            timezone_id="Europe/London",
        )
        contexts.append(context)
        if not tips:
            context.add_init_script(TIPS_SEEN)
        if user:
            sign_in(context, address, user, site.passwords.get(user, PASSWORD))
        page = context.new_page()
        if SLOW:
            delay_answers(page)
        if THROTTLED:
            throttle_processor(page)
        watched.watch(page)
        if intercepted:
            page.route(NO_ADDRESS, lambda route: route.continue_())
        page.goto(address + path)
        return page

    yield open_one
    for context in contexts:
        context.close()


class StaffOpener(Protocol):
    def __call__(self, username: str = ..., path: str = ..., **options: Any) -> Page: ...


@pytest.fixture
def staff_page(open_page: Opener) -> StaffOpener:
    """staff_page(username, path, …): a staff page, by its path below /admin/, in a separate browser profile.

    The options are those of `open_page`.
    """

    def open_one(username: str = "administrator", path: str = "", **options: Any) -> Page:
        return open_page(f"/admin/{path}", user=username, **options)

    return open_one


def delay_answers(page: Page) -> None:
    protocol = page.context.new_cdp_session(page)
    protocol.send("Network.enable")
    unlimited = {"downloadThroughput": -1, "uploadThroughput": -1}
    protocol.send("Network.emulateNetworkConditions", {"offline": False, "latency": LATENCY, **unlimited})


def throttle_processor(page: Page) -> None:
    protocol = page.context.new_cdp_session(page)
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLING})


def violations(
    page: Page,
    *more_tags: str,
    uncertain: Collection[str] = (),
    skip: Sequence[str] = (),
    off: Sequence[str] = (),
    only: Sequence[str] = (),
) -> list[str]:
    """The faults that axe-core finds. Runs over the debugging protocol, outside the page's content policy.

    For the rules in `uncertain`, undecided elements count as faults too, such as targets in a fan of cards. What the
    selectors of `skip` name is left out, and so are the rules that are `off`, or all rules except `only`.
    """
    options = {
        "runOnly": {"type": "rule", "values": only}
        if only
        else {"type": "tag", "values": [*AXE_TAGS, *more_tags]},
        "resultTypes": ["violations", "incomplete"] if uncertain else ["violations"],
        **({} if only else {"rules": {rule: {"enabled": rule not in off} for rule in (*BEYOND, *off)}}),
    }
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.evaluate(AT_REST)
    _examined.add(page)
    try:
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text())
        found = page.evaluate(
            "([skip, options]) => axe.run({include: [['html']], exclude: skip.map((one) => [one])}, options)",
            [list(skip), options],
        )
    finally:
        _examined.discard(page)
    unclear = [
        {**rule, "nodes": [node for node in rule["nodes"] if not COVERED.search(node["html"])]}
        for rule in found["incomplete"]
        if rule["id"] in uncertain
    ]
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in [*found["violations"], *unclear]
        for node in violation["nodes"]
    ]


def scrolls_sideways(page: Page) -> bool:
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1")
    )


DOTS = """() => {
  const shown = [], hidden = [];
  for (const dot of document.querySelectorAll("main .dotted i")) {
    dot.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = dot.getBoundingClientRect();
    const isSeen = document.elementFromPoint(left + width / 2, top + height / 2) === dot;
    const fact = dot.parentElement;
    const [own, before] = [fact, fact.previousElementSibling].map((one) => one.getBoundingClientRect());
    const isAfter = before.right <= left + 1 && before.bottom > top;
    const isBefore = own.right > left + width && own.top < top + height;
    (isSeen ? shown : hidden).push(isAfter && isBefore);
  }
  return { shown, hidden };
}"""
"""Of each dot that is shown, or cut off, whether there is a fact on either side of it in its row."""


def dots_of(page: Page, width: int) -> dict[str, list[bool]]:
    """The dots between facts that are `shown`, and those that are `hidden` where a row breaks."""
    page.set_viewport_size({"width": width, "height": 700})
    return dict(page.evaluate(DOTS))
