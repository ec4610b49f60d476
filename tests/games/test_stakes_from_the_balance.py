"""A staked game that is opened without a play session takes its stake from the balance, and returns the rest to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from accounts.services import create_guest
from games import services
from games.models import GameRecord
from ledger import services as ledger
from ledger.models import GameStake, PlaySession, StakeTable
from ledger.selectors import reconcile
from tests.conftest import Client
from tests.money import available, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

API = "/api/v1/"
Api = Callable[[Player | None], Client]
VEGAS: dict[str, Any] = {
    "rules": "vegas-solitaire",
    "config": {"draw": 1, "stake": 520},
    "stake_table": "vegas-classic",
}


def money(player: Player) -> tuple[int, int]:
    """The player's cash, and what the play session holds."""
    return available(f"player:{player.pk}"), available(f"player:{player.pk}", "session")


def opened(client: Client, **more: Any) -> str:
    answer = client.post(f"{API}games/", VEGAS | more)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def dealt(client: Client, **more: Any) -> str:
    game = opened(client, **more)
    client.post(f"{API}games/{game}/seats/", {})
    started = client.post(f"{API}games/{game}/start/", {})
    assert started.status_code == 200, started.content
    return game


def collect(client: Client, game: str) -> int:
    answer = client.post(f"{API}games/{game}/moves/", {"move": {"type": "collect"}})
    assert answer.status_code < 300, answer.content
    return int(GameRecord.objects.get(pk=game).outcome["winnings"])  # type: ignore[index]


def test_the_stake_leaves_the_balance_and_the_winnings_return_to_it(
    api: Api, player: Player, classic: StakeTable
) -> None:
    fund(cash(player.pk), 1000)
    client = api(player)
    for games in (1, 2):
        before = money(player)[0]
        game = dealt(client)
        assert money(player) == (before - 520, 0)
        winnings = collect(client, game)
        assert money(player) == (before - 520 + winnings, 0)
        fund(cash(player.pk), 520)
        assert PlaySession.objects.filter(player=player.pk, closed_at__isnull=False).count() == games
    assert [str(difference) for difference in reconcile()] == []


def test_without_enough_money_nothing_is_opened(api: Api, player: Player, classic: StakeTable) -> None:
    fund(cash(player.pk), 519)
    answer = api(player).post(f"{API}games/", VEGAS)
    assert (answer.status_code, answer.json()["code"]) == (409, "insufficient-funds")
    assert not GameRecord.objects.exists()
    assert not PlaySession.objects.exists()


def test_a_session_that_holds_enough_is_played_from_and_stays_open(
    api: Api, player: Player, classic: StakeTable
) -> None:
    fund(cash(player.pk), 2000)
    session = _cashed_in(player, 1000)
    collect(api(player), game := dealt(api(player)))
    session.refresh_from_db()
    assert session.is_open
    winnings = int(GameRecord.objects.get(pk=game).outcome["winnings"])  # type: ignore[index]
    assert money(player) == (1000, 480 + winnings)


def test_a_session_that_holds_too_little_is_cashed_out_first(
    api: Api, player: Player, classic: StakeTable
) -> None:
    fund(cash(player.pk), 600)
    session = _cashed_in(player, 100)
    dealt(api(player))
    session.refresh_from_db()
    assert (session.is_open, session.cash_out) == (False, 100)
    assert money(player) == (80, 0)


def test_a_second_game_waits_for_the_end_of_the_first(api: Api, player: Player, classic: StakeTable) -> None:
    fund(cash(player.pk), 2000)
    game = dealt(api(player))
    answer = api(player).post(f"{API}games/", VEGAS)
    assert (answer.status_code, answer.json()["code"]) == (409, "game-in-progress")
    collect(api(player), game)
    dealt(api(player))


@pytest.mark.parametrize("start", [False, True])
def test_a_void_game_returns_everything(api: Api, player: Player, classic: StakeTable, start: bool) -> None:
    fund(cash(player.pk), 1000)
    game = dealt(api(player)) if start else opened(api(player))
    services.void_game(game_id=GameRecord.objects.get(pk=game).pk, reason="stuck", now=timezone.now())
    assert money(player) == (1000, 0)


def test_a_table_that_was_not_dealt_leaves_its_money_for_the_next(
    api: Api, player: Player, classic: StakeTable
) -> None:
    fund(cash(player.pk), 520)
    left, game = opened(api(player)), dealt(api(player))
    services.void_game(game_id=GameRecord.objects.get(pk=left).pk, reason="left", now=timezone.now())
    winnings = collect(api(player), game)
    assert money(player) == (winnings, 0)


@pytest.mark.parametrize("stake", [520, 1040])
def test_an_undealt_table_is_dealt_after_another_one_was_played(
    api: Api, player: Player, classic: StakeTable, stake: int
) -> None:
    """The other one plays from the same session or, with a larger stake, closes it; either way it is closed later."""
    fund(cash(player.pk), 2000)
    client = api(player)
    first = opened(client)
    client.post(f"{API}games/{first}/seats/", {})
    other = dealt(client, config={"draw": 1, "stake": stake})
    waiting = client.post(f"{API}games/{first}/start/", {})
    assert (waiting.status_code, waiting.json()["code"]) == (409, "game-in-progress")
    left = 2000 - stake + collect(client, other)
    assert money(player) == (left, 0)
    started = client.post(f"{API}games/{first}/start/", {})
    assert started.status_code == 200, started.content
    assert money(player) == (left - 520, 0)
    record = GameRecord.objects.get(pk=first)
    assert record.play_session == GameStake.objects.get(game=first).session
    winnings = collect(client, first)
    assert money(player) == (left - 520 + winnings, 0)
    assert not PlaySession.objects.filter(closed_at=None).exists()
    assert [str(difference) for difference in reconcile()] == []


def test_an_undealt_table_whose_money_was_lost_meanwhile_says_so_and_waits(
    api: Api, player: Player, classic: StakeTable
) -> None:
    fund(cash(player.pk), 520)
    client = api(player)
    first = opened(client)
    client.post(f"{API}games/{first}/seats/", {})
    winnings = collect(client, dealt(client))
    assert winnings < 520
    refused = client.post(f"{API}games/{first}/start/", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient-funds")
    assert money(player) == (winnings, 0)
    fund(cash(player.pk), 520)
    assert client.post(f"{API}games/{first}/start/", {}).status_code == 200
    assert [str(difference) for difference in reconcile()] == []


def test_guests_do_not_stake(api: Api, classic: StakeTable) -> None:
    answer = api(create_guest(now=timezone.now())).post(f"{API}games/", VEGAS)
    assert (answer.status_code, answer.json()["code"]) == (403, "account-needed")


def _cashed_in(player: Player, amount: int) -> PlaySession:
    return ledger.open_session(
        player=player.pk, amount=amount, currency="XTS", key=fresh_key(), at=timezone.now()
    )
