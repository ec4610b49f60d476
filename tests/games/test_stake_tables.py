"""Games at stake tables: other pay tables, modes, and terms that change before or after a deal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from games import selectors, services
from games.errors import StakeNotOffered
from games.models import GameRecord, Status
from games.rules.bundles.verification import verify
from ledger.errors import StakeTableClosed, StakeTermsChanged
from ledger.models import GameStake, PlaySession, StakeTable
from tests.games.conftest import NOON, SEED, at_stake_table
from tests.money import available, bankroll, change, open_table

pytestmark = pytest.mark.django_db

CashedIn = Callable[..., PlaySession]


def site_table(**terms: Any) -> StakeTable:
    open_table("generous", at=NOON, **terms)
    return bankroll(10**7, "generous", at=NOON)


def seated(
    player: Player, table: StakeTable, session: PlaySession, now: datetime = NOON, **config: Any
) -> GameRecord:
    return at_stake_table(player, table, session, config={"draw": 1, **config}, server_seed=SEED, now=now)


def collected(player: Player, game: GameRecord) -> GameStake:
    """Play every card that fits a foundation, then collect."""
    for _ in range(200):
        moves = selectors.envelope(GameRecord.objects.get(pk=game.pk), player, now=NOON)["legal_moves"]
        home = [move for move in moves if move.get("to") == "foundation"]
        flips = [move for move in moves if move["type"] == "flip"]
        draws = [move for move in moves if move["type"] == "draw"]
        move = [*home, *flips, *draws, {"type": "collect"}][0]
        services.play(game_id=game.pk, player=player, move=move, now=NOON)
        if move["type"] == "collect":
            break
    return GameStake.objects.get(game=game.pk)


@pytest.mark.parametrize("win_rate", ["1/13", "5/52", "1/26", "3/52", "1/8"])
def test_a_game_with_another_pay_table_is_paid_by_it(
    player: Player, cashed_in: CashedIn, win_rate: str
) -> None:
    table = site_table(win_rate=win_rate)
    session = cashed_in(player)
    game = services.start_game(game=seated(player, table, session), actor=player, now=NOON)
    num, den = map(int, win_rate.split("/"))
    staked = GameStake.objects.get(game=game.pk)
    assert (game.config["win_rate"], staked.max_win) == (win_rate, 520 * 52 * num // den)
    ended = collected(player, game)
    cards = GameRecord.objects.get(pk=game.pk).outcome["cards"]
    assert cards > 0
    assert ended.winnings == cards * 520 * num // den
    assert available(f"player:{player.pk}", "session") == 10_000 - 520 + ended.winnings
    assert available(table.bank_owner, "bank") == 10**7 + 520 - ended.winnings
    assert verify(selectors.bundle(GameRecord.objects.get(pk=game.pk), player)).ok


def test_a_game_without_a_stake_has_the_default_of_the_table(player: Player, cashed_in: CashedIn) -> None:
    table = site_table(win_rate="5/52", minimum=1040, default=2080, step=1040, maximum=1_040_000)
    game = seated(player, table, cashed_in(player))
    assert (game.config["stake"], game.config["win_rate"]) == (2080, "5/52")


def test_a_pay_table_other_than_that_of_the_stake_table_is_refused(
    player: Player, cashed_in: CashedIn
) -> None:
    with pytest.raises(StakeNotOffered):
        seated(player, site_table(win_rate="5/52"), cashed_in(player), win_rate="1/13")


def test_a_stake_table_of_a_mode_is_for_games_of_that_mode(player: Player, cashed_in: CashedIn) -> None:
    table, session = site_table(mode="draw=3"), cashed_in(player)
    with pytest.raises(StakeNotOffered):
        seated(player, table, session, draw=1)
    assert seated(player, table, session, draw=3).status == Status.OPEN


CHANGES: list[dict[str, Any]] = [
    {"minimum": 1040, "default": 1040},
    {"maximum": 104, "default": 104},
    {"win_rate": "5/52"},
    {"bank_limit": 0},
    {"open": False},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_changed_terms_do_not_affect_a_dealt_game(
    player: Player, cashed_in: CashedIn, changes: dict[str, Any]
) -> None:
    table = site_table()
    game = services.start_game(game=seated(player, table, cashed_in(player)), actor=player, now=NOON)
    change(table, NOON, **changes)
    ended = collected(player, game)
    cards = GameRecord.objects.get(pk=game.pk).outcome["cards"]
    assert (ended.status, ended.winnings, ended.terms.number) == ("settled", 40 * cards, 1)


@pytest.mark.parametrize(
    ("changes", "refusal"), [({"open": False}, StakeTableClosed), ({"win_rate": "5/52"}, StakeTermsChanged)]
)
def test_changed_terms_apply_to_an_open_game_that_is_not_dealt(
    player: Player, cashed_in: CashedIn, changes: dict[str, Any], refusal: type[Exception]
) -> None:
    table = site_table()
    game = seated(player, table, cashed_in(player))
    change(table, NOON, **changes)
    with pytest.raises(refusal):
        services.start_game(game=game, actor=player, now=NOON)
    assert GameRecord.objects.get(pk=game.pk).status == Status.OPEN
    assert available(f"player:{player.pk}", "session") == 10_000


def test_announced_terms_apply_to_deals_from_their_time(player: Player, cashed_in: CashedIn) -> None:
    table = site_table()
    begins = NOON + timedelta(hours=1)
    change(table, begins, open=False)
    before = seated(player, table, cashed_in(player), begins - timedelta(microseconds=1))
    with pytest.raises(StakeTableClosed):
        services.start_game(game=before, actor=player, now=begins)
    assert services.start_game(game=before, actor=player, now=begins - timedelta(microseconds=1))
