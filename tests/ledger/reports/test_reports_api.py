"""Reports over REST, as JSON and CSV with equal figures, for administrators and auditors only."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings

from accounts.models import Player
from ledger import services
from ledger.models import PlaySession, StakeTable
from tests.ledger.reports.worlds import World
from tests.money import AT

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Api = Callable[[Player | None], Any]
V1 = "/api/v1"
MARCH = "from=2026-02-28&until=2026-03-02"
REPORTS = ["days", "games", "games/vegas-solitaire", "tournaments", "stake-tables"]
EXPORTS = ["ledger/ledger.journal", "ledger/ledger.beancount"]
FOR_STAFF = [
    *(f"reports/{name}{end}" for name in REPORTS for end in ("/", ".csv")),
    *EXPORTS,
    "accounts/1/statement/",
    "accounts/1/statement.csv",
]


def table(answer: Any) -> list[dict[str, str]]:
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))


@pytest.fixture
def played(cashed_in: PlaySession, vegas: StakeTable) -> str:
    """A game with a stake of 104 and winnings of 24."""
    game = uuid4()
    services.take_stake(
        session=cashed_in, game=game, stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    services.settle_stake(game=game, winnings=24, event=9, at=AT)
    return f"game:{game}"


def test_report_lists_all_days_and_their_total(api: Api, auditor: Player, played: str) -> None:
    shown = api(auditor).get(f"{V1}/reports/days/?{MARCH}").json()
    assert [row["day"] for row in shown["results"]] == ["2026-02-28", "2026-03-01", "2026-03-02"]
    day = shown["results"][1]
    expected = {
        "games": 1, "bets": 0, "entries": 0, "players": 1, "stakes": 104, "refunds": 0, "turnover": 104,
        "winnings": 24, "bank": 80, "rake": 0, "takeout": 0, "breakage": 0, "margin": 80, "margin_rate": 7692,
        "promotion": 0, "overlay": 0, "liability": 0,
    }  # fmt: skip
    assert day["figures"] == expected
    assert shown["total"] == {**expected, "players": None}
    assert (day["begins"], day["ends"]) == ("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z")
    assert (day["deposits"], day["withdrawals"], day["liability"]) == (5000, 0, 0)
    assert day["changes"]["bank"] == 1_000_080
    assert shown["results"][2]["closing"] == day["closing"]
    assert sum(day["closing"].values()) == 0


def test_each_report_is_the_same_as_csv(api: Api, administrator: Player, played: str) -> None:
    client = api(administrator)
    for name, naming, shown_as in (
        ("days", "day", "day"),
        ("games", "rules", "rules"),
        ("games/vegas-solitaire", "subject", "subject"),
        ("stake-tables", "table", "stake_table"),
    ):
        rows = client.get(f"{V1}/reports/{name}/?{MARCH}").json()["results"]
        cells = table(client.get(f"{V1}/reports/{name}.csv?{MARCH}"))
        assert [row[naming] for row in rows] == [row[shown_as] for row in cells]
        for row, cell in zip(rows, cells, strict=True):
            reported = {
                figure: "" if amount is None else str(amount) for figure, amount in row["figures"].items()
            }
            assert {figure: cell[figure] for figure in reported} == reported


def test_single_games_and_tournaments_are_listed_in_pages(api: Api, auditor: Player) -> None:
    World(3).do(12)
    client = api(auditor)
    for name in ("games/racing-aces", "tournaments"):
        whole = client.get(f"{V1}/reports/{name}/").json()["results"]
        assert len(whole) >= 2
        address, seen = f"{V1}/reports/{name}/?limit=1", []
        while address:
            page = client.get(address).json()
            seen += page["results"]
            address = page["next"]
        assert seen == whole
        assert [row["subject"] for row in table(client.get(f"{V1}/reports/{name}.csv"))] == [
            row["subject"] for row in whole
        ]
    assert client.get(f"{V1}/reports/games/no-such-game/").json()["results"] == []


def test_the_time_zone_determines_the_day(
    api: Api, auditor: Player, played: str, settings: LazySettings
) -> None:
    settings.RACECARD_TIME_ZONE = "Pacific/Kiritimati"  # 14 hours ahead
    days = api(auditor).get(f"{V1}/reports/days/?{MARCH}").json()["results"]
    assert [row["figures"]["stakes"] for row in days] == [0, 0, 104]
    assert days[0]["begins"] == "2026-02-27T10:00:00Z"


def test_invalid_periods_are_refused(api: Api, auditor: Player, subtests: pytest.Subtests) -> None:
    client = api(auditor)
    wrong = (
        "from=2026-03-02&until=2026-03-01",
        "from=2026-02-30",
        "from=20260301",
        "from=0001-01-01",
        "until=9999-12-31",
        "currency=EUR",
        "from=2026-03-01&from=2026-03-01",
        "zone=UTC",
    )
    reports = [path for path in FOR_STAFF if path.startswith("reports/")]
    for path, query in [*((reports[0], query) for query in wrong), *((path, wrong[0]) for path in reports)]:
        with subtests.test(path=path, query=query):
            answer = client.get(f"{V1}/{path}?{query}")
            assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")


def test_a_period_has_at_most_a_year(api: Api, auditor: Player) -> None:
    client = api(auditor)
    assert len(client.get(f"{V1}/reports/days/?from=2024-01-01&until=2024-12-31").json()["results"]) == 366
    assert client.get(f"{V1}/reports/days/?from=2024-01-01&until=2025-01-01").status_code == 400
    assert len(client.get(f"{V1}/reports/days/").json()["results"]) == 30
    assert len(client.get(f"{V1}/reports/days/?until=2026-03-01").json()["results"]) == 30


def test_the_ledger_is_exported_as_a_file(api: Api, auditor: Player, played: str) -> None:
    from beancount import loader  # slow to import

    for path, begins in zip(EXPORTS, ("; Racecard", 'option "title"'), strict=True):
        answer = api(auditor).get(f"{V1}/{path}")
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        assert answer["Content-Disposition"] == f'attachment; filename="{path.partition("/")[2]}"'
        assert b"".join(answer.streaming_content).decode().startswith(begins)
    answer = api(auditor).get(f"{V1}/{EXPORTS[1]}")
    assert loader.load_string(b"".join(answer.streaming_content).decode())[1] == []
