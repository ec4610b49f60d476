"""The walks of docs/architecture.md are those that the code takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from disputes import services as disputes
from games.models import GameRecord
from jobs import services as jobs
from tests.conftest import Client, person
from tests.disputes.conftest import played  # noqa: F401
from tests.due_jobs import run_due
from tests.games.races import open_market, open_table
from tests.games.tables import dealt
from tests.ledger.betting.markets import bank
from tests.money import cash, fund
from tests.tournaments.conftest import publish
from tests.tournaments.playing import NOW, enter, later, rich, start
from tests.walks import walk
from tournaments import services
from tournaments.models import TableGame, Tournament

pytestmark = pytest.mark.django_db
ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"
Api = Callable[[Player], Client]
SWISS = {"format": "swiss", "rules": "ace-race", "config": {}, "prizes": (10_000,), "rounds": 1}


def documented(title: str) -> list[str]:
    """Return the modules that the section of that title lists."""
    section = ARCHITECTURE.read_text().partition(f"### {title}\n")[2].partition("\n#")[0]
    return re.findall(r"^\d+\. `([\w.]+)`", section, re.MULTILINE)


@pytest.fixture
def held() -> Tournament:
    """Return a tournament of two players and one round, which has just finished."""
    tournament = publish(person("olga", Role.ORGANIZER), **SWISS)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    run_due(later(600))
    run_due(later(4200))
    Tournament.objects.filter(pk=tournament.pk).update(ended_at=timezone.now())
    return tournament


@pytest.mark.django_db(transaction=True)  # the state is cached after the commit
def test_move(api: Api, player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=timezone.now())
    client, path = api(player), f"/api/v1/games/{game.pk}/moves/"
    assert client.post(path, {"move": {"type": "draw"}}).status_code == 201
    with walk() as passed:
        made = client.post(path, {"move": {"type": "draw"}})
    assert made.status_code == 201
    assert passed == documented("A move")
    assert len(passed) <= 14


def test_round_is_opened_by_the_documented_modules() -> None:
    tournament = publish(person("olga", Role.ORGANIZER), **SWISS)
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)
    passed: dict[str, None] = {}
    while claims := jobs.claim(now=NOW):
        for claim in claims:
            with walk() as modules:
                assert jobs.carry_out(job_ids=claim.job_ids, now=NOW) is None
            passed |= dict.fromkeys(modules)
    assert list(passed) == documented("A round of a tournament")
    assert len(passed) <= 12


def ruling(api: Api, auditor: Player, game: GameRecord) -> list[str]:
    """Dispute a game, decide that the other player has won it, and return the walk of the ruling."""
    now = timezone.now()
    GameRecord.objects.filter(pk=game.pk).update(ended_at=now)
    opener = game.seatings.get(seat=0).player
    dispute = disputes.open_dispute(
        game_id=game.pk, actor=opener, version=1, claim="my King was not accepted", now=now
    )
    body = {
        "finding": "upheld",
        "remedy": "corrected",
        "reason": "as the log shows",
        "terms": {"outcome": {"places": [[0], [1]] if game.outcome["places"][0] == [1] else [[1], [0]]}},
    }
    client, path = api(auditor), f"/api/v1/disputes/{dispute.pk}/ruling/"
    token = client.post(f"{path}preview/", body, key="").json()["token"]
    with walk() as passed:
        made = client.post(path, {**body, "token": token})
    assert (made.status_code, made.json()["status"]) == (201, "ruled")
    return passed


def test_ruling_on_a_tournament_game(api: Api, auditor: Player, held: Tournament) -> None:
    game = GameRecord.objects.get(pk=TableGame.objects.get(table__round__tournament=held).game)
    passed = ruling(api, auditor, game)
    assert passed == documented("A ruling that corrects a tournament result")
    assert len(passed) <= 14


def test_ruling_on_a_game_with_buy_ins(api: Api, auditor: Player, played: GameRecord) -> None:  # noqa: F811
    passed = ruling(api, auditor, played)
    assert passed == documented("A ruling that divides a pot again")
    assert len(passed) <= 14


def test_bet_on_a_race_at_fixed_odds(api: Api, organizer: Player, player: Player) -> None:
    bank()
    fund(cash(player.pk), 10_000)
    market = open_market(open_table(organizer), "fixed")
    client, path = api(player), f"/api/v1/markets/{market.pk}/bets/"
    body = {"runner": "H", "stake": 100, "price": market.runners.get(name="H").price}
    assert client.post(path, body).status_code == 201
    with walk() as passed:
        made = client.post(path, body)
    assert made.status_code == 201
    assert passed == documented("A bet on a race at fixed odds")
    assert len(passed) <= 12
