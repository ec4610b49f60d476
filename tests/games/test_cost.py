"""The cost of a request does not depend on the length of the game. docs/security.md has the table.

The cost is the number of SQL statements, of events read and folded, and of bytes sent. `make bench` measures time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Player
from eventstore import store
from games import selectors, services, state, urls
from games.evidence import verification
from games.models import GameRecord
from games.rules import table as tables
from tests.due_jobs import run_due_soon
from tests.long_games import long_race

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]

LENGTHS = (600, 1_100)
"""Events of a short and of a long game; what both may cost is the same."""
HEADING = "## What a request may cost"
GAME = "games/{id}/"


@dataclass(frozen=True)
class Cost:
    statements: int
    read: int
    folded: int
    kilobytes: int


def promised() -> dict[str, Cost]:
    """Return the table of the documentation, by operation."""
    text = (settings.ROOT / "docs" / "security.md").read_text().split(HEADING)[1].split("\n## ")[0]
    rows = re.findall(
        r"^\| `([^`]+)`[^|]*\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", text, re.MULTILINE
    )
    return {name: Cost(*[int(number.replace(",", "")) for number in numbers]) for name, *numbers in rows}


@dataclass
class Meter:
    """Counts the cost of a request in a process with empty caches."""

    folded: int = 0
    read: int = 0
    over: list[str] = field(default_factory=list)

    def ask(self, name: str, allowed: Cost, request: Callable[[], Any], *, status: int = 200) -> Any:
        state.cache.clear()
        self.folded = self.read = 0
        with CaptureQueriesContext(connection) as statements:
            answer = request()
        assert answer.status_code == status, (name, answer.content)
        found = Cost(len(statements), self.read, self.folded, len(answer.content) // 1024)
        if any(getattr(found, one) > getattr(allowed, one) for one in Cost.__dataclass_fields__):
            self.over.append(f"{name}: {found} where {allowed} is allowed")
        return answer


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Meter]:
    one = Meter()
    evolve, event = tables.evolve, store._event

    def folded(*given: Any) -> Any:
        one.folded += 1
        return evolve(*given)

    def read(*given: Any) -> Any:
        one.read += 1
        return event(*given)

    monkeypatch.setattr(tables, "evolve", folded)
    monkeypatch.setattr(store, "_event", read)
    yield one
    assert one.over == []


@pytest.fixture(params=LENGTHS)
def game(
    request: pytest.FixtureRequest,
    player: Player,
    rival: Player,
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> GameRecord:
    monkeypatch.setattr(verification, "AT_ONCE", 500)
    with django_capture_on_commit_callbacks(execute=True):
        made = long_race([player, rival], events=request.param, now=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        # The first request that finds no snapshots stores them.
        state.cache.clear()
        state.load(made.pk)
    return made


def test_every_operation_of_a_game_is_in_the_table() -> None:
    routes = {
        str(one.pattern) for one in urls.urlpatterns if str(one.pattern).startswith("games/<uuid:game_id>/")
    }
    known = {re.sub(r"[ ?].*", "", name.split(" ", 1)[1]) for name in promised() if GAME in name}
    spelled = {
        route.replace("<uuid:game_id>", "{id}").replace("<str:version>", "{version}") for route in routes
    }
    commands = ("seats", "seats/me", "bots", "start", "rematch", "suspension", "resumption", "market")
    changes = {f"{GAME}{command}/" for command in commands}
    assert spelled - changes - known == set()


def test_the_cost_of_requests_for_a_running_game(
    game: GameRecord, meter: Meter, api: Api, player: Player, stranger: Player
) -> None:
    costs = promised()
    length = store.head(game.pk).version
    base, anyone, own = f"/api/v1/games/{game.pk}/", api(stranger), api(player)

    def get(name: str, query: str = "", **more: Any) -> Any:
        path = base + name.removeprefix(f"GET {GAME}")
        return meter.ask(name + query, costs[name], lambda: anyone.get(path + query), **more)

    get(f"GET {GAME}")
    get(f"GET {GAME}legal-moves/")
    get(f"GET {GAME}hint/", status=403)
    get(f"GET {GAME}odds/", status=404)
    for query in ("", f"?after={length - 500}"):
        assert len(get(f"GET {GAME}events/", query).json()["results"]) == 500
        assert len(get(f"GET {GAME}recording/", query).json()["events"]) == 500
    get(f"GET {GAME}recording/", "?limit=1")
    for query in ("", f"?at={length}", f"?at={length // 2}", "?at=1"):
        get(f"GET {GAME}replay/", query)
    get(f"GET {GAME}verification/", status=202)
    run_due_soon()
    assert get(f"GET {GAME}verification/").json()["ok"]

    def move(key: str, **headers: str) -> Callable[[], Any]:
        return lambda: own.post(f"{base}moves/", {"move": {"type": "turn"}}, key=key, headers=headers)

    name = f"POST {GAME}moves/"
    page = meter.ask("stale", costs[name], move("a", **{"If-Match": '"0"'}), status=412).json()
    assert (page["version"], len(page["events"])) == (length, 50)
    assert page["next"] == f"{base}events/?after=50"
    more = anyone.get(page["next"]).json()["results"]
    assert more[0]["version"] == 51
    first = meter.ask("move", costs[name], move("b"), status=201)
    again = meter.ask("repeated", costs[name], move("b"), status=201)
    assert (again.content, again["Idempotent-Replay"]) == (first.content, "true")


def test_a_short_page_of_a_long_game_reads_no_more_than_it_shows(
    game: GameRecord, meter: Meter, api: Api, player: Player
) -> None:
    """It also reads the events since the last snapshot, for the fold."""
    services.void_game(game_id=game.pk, reason="test", by=None, now=timezone.now())
    allowed = Cost(statements=20, read=2 * state.SNAPSHOT_EVERY, folded=state.SNAPSHOT_EVERY, kilobytes=64)
    for page in ("events/", "recording/", "evidence/"):
        address = f"/api/v1/games/{game.pk}/{page}?limit=1"
        meter.ask(page, allowed, lambda address=address: api(player).get(address))


def test_the_cost_of_requests_for_an_ended_game(
    game: GameRecord, meter: Meter, api: Api, player: Player
) -> None:
    costs = promised()
    services.void_game(game_id=game.pk, reason="test", by=None, now=timezone.now())
    length = store.head(game.pk).version
    base, own = f"/api/v1/games/{game.pk}/", api(player)

    def get(name: str, query: str = "", *, version: int = 0, **more: Any) -> Any:
        path = base + name.removeprefix(f"GET {GAME}").replace("{version}", str(version))
        return meter.ask(name + query, costs[name], lambda: own.get(path + query), **more)

    page = get(f"GET {GAME}evidence/").json()
    assert (page["verified_at"], {line["rules"] for line in page["results"]}) == (None, {"not-run"})
    get(f"GET {GAME}verification/", status=202)
    run_due_soon()
    report = get(f"GET {GAME}verification/").json()
    assert (report["ok"], report["events"]) == (True, length)
    assert report | {"verified_at": ""} == selectors.verification(game) | {"verified_at": ""}
    for query in ("", f"?after={length - 500}"):
        page = get(f"GET {GAME}evidence/", query).json()
        assert page["divergence"] is None
        assert {(line["chain"], line["rules"]) for line in page["results"]} == {("passed", "passed")}
    get(f"GET {GAME}evidence/{{version}}/", version=length - 1)
    get(f"GET {GAME}evidence/received/", f"?at={length - 1}&seat=0")
    get(f"GET {GAME}evidence/refused/")
    for query in ("?all=true", f"?all=true&at={length // 2}"):
        get(f"GET {GAME}replay/", query)
    for query in ("?all=true", f"?all=true&after={length - 500}"):
        get(f"GET {GAME}recording/", query)
    assert get(f"GET {GAME}bundle/").json() == selectors.bundle(game_again(game), player)


def game_again(game: GameRecord) -> GameRecord:
    return GameRecord.objects.get(pk=game.pk)
