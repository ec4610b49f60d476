"""The money of suspended games waits, is refunded if they are voided, and is staked again if they continue."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from accounts.models import Player
from eventstore import store
from games import access, selectors, services, state
from games.errors import GameSuspended, NotContinuable, NotRedealable, SeatsTaken
from games.models import GameRecord, MatchStatus, Status
from games.rules.bundles.verification import verify
from games.suspensions import continuation
from games.suspensions import services as suspension
from ledger import services as ledger
from ledger.limits.services import take_time_out
from ledger.models import PlaySession
from tests.due_jobs import run_due
from tests.games import staked as tables
from tests.games.conftest import NOON
from tests.games.races import draw, open_market, open_table
from tests.ledger.betting.markets import bet
from tests.money import available

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]

HOUR = timedelta(hours=1)
WHY = "the wrong card was shown"
Staked = Callable[..., tuple[GameRecord, PlaySession]]


def stop(game: GameRecord) -> None:
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOON)


def dealt_at(game: GameRecord) -> int:
    return next(event.version for event in store.read(game.pk) if event.type == "dealt")


def continue_game(game: GameRecord) -> GameRecord:
    return continuation.continue_from(game.pk, version=dealt_at(game), reason=WHY, now=NOON + HOUR)


def purse(player: Player) -> int:
    return available(f"player:{player.pk}", "session")


def proven(game: GameRecord, auditor: Player) -> bool:
    report = verify(selectors.bundle(GameRecord.objects.get(pk=game.pk), auditor))
    return report.ok and "not-run" not in report.checks.values()


# --- games against the bank -------------------------------------------------------------------------------


def test_a_stake_is_refunded_for_the_parent_and_taken_for_the_child(
    player: Player, auditor: Player, staked: Staked
) -> None:
    game, _ = staked(player, stake=520)
    stop(game)
    child = continue_game(game)
    assert available(f"game:{game.pk}", "escrow") == 0
    assert available(f"game:{child.pk}", "escrow") == 520
    services.play(game_id=child.pk, player=player, move={"type": "collect"}, now=NOON + HOUR)
    assert available(f"game:{child.pk}", "escrow") == 0
    assert purse(player) == 10_000 - 520
    assert proven(game, auditor)
    assert proven(child, auditor)


def test_a_stake_stays_during_a_suspension_and_is_refunded_by_a_void(
    player: Player, auditor: Player, staked: Staked
) -> None:
    game, _ = staked(player, stake=520)
    stop(game)
    assert available(f"game:{game.pk}", "escrow") == 520
    services.void_game(game_id=game.pk, reason="no one knows what was right", now=NOON)
    assert purse(player) == 10_000
    assert proven(game, auditor)


def test_voiding_refunds_a_player_who_may_not_stake(player: Player, staked: Staked) -> None:
    game, _ = staked(player, stake=520)
    stop(game)
    take_time_out(player=player.pk, hours=24, key="out", actor=f"player:{player.pk}", at=NOON)
    with pytest.raises(NotContinuable, match="play-stopped"):
        continue_game(game)
    assert available(f"game:{game.pk}", "escrow") == 520
    services.void_game(game_id=game.pk, reason=WHY, now=NOON + HOUR)
    assert purse(player) == 10_000


# --- games among players ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", tables.CONFIGS)
def test_buy_ins_are_refunded_for_the_parent_and_paid_into_the_pot_of_the_child(
    rules: str, player: Player, rival: Player, auditor: Player
) -> None:
    people = [player, rival]
    game = tables.dealt(rules, people)
    stop(game)
    child = continue_game(game)
    assert (tables.in_escrow(game), tables.in_escrow(child)) == (0, 2 * tables.BUY_IN)
    tables.play_out(child, people)
    assert tables.in_escrow(child) == 0
    assert proven(game, auditor)
    assert proven(child, auditor)


def test_the_buy_ins_of_a_match_stay_in_its_pot(player: Player, rival: Player, auditor: Player) -> None:
    people = [player, rival]
    match, game = tables.match_of(people, deals=1)
    stop(game)
    child = continue_game(game)
    assert (child.match, child.match_number) == (match, 2)
    assert tables.in_escrow(match) == 2 * tables.BUY_IN
    run_due(NOON + HOUR)
    assert match.games.count() == 2  # the void parent leads to no deal besides the child
    tables.play_out(child, people)
    run_due(NOON + HOUR)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert tables.in_escrow(match) == 0
    assert proven(child, auditor)


# --- races with markets ----------------------------------------------------------------------------------


def test_a_race_with_a_market_cannot_be_continued(player: Player) -> None:
    race = open_table(player)
    market = open_market(race)
    made = bet(market, "H", 100)
    draw(race, player)
    stop(race)
    with pytest.raises(NotContinuable, match="Resume the race"):
        continue_game(race)
    with pytest.raises(GameSuspended):
        draw(race, player)
    services.void_game(game_id=race.pk, reason=WHY, now=NOON)
    made.refresh_from_db()
    assert made.status == "refunded"


def test_bets_in_running_on_a_suspended_race_are_refused(player: Player) -> None:
    race = open_table(player)
    market = open_market(race, in_running=True)
    draw(race, player)
    stop(race)
    with pytest.raises(GameSuspended):
        bet(market, "H", 100)
    suspension.resume(race.pk, by=None, reason=WHY, now=NOON)
    assert bet(market, "H", 100).status == "open"


# --- redeals ---------------------------------------------------------------------------------------------


def test_a_redeal_keeps_the_seats_and_requires_a_new_buy_in(
    player: Player, rival: Player, stranger: Player, auditor: Player
) -> None:
    people = [player, rival]
    game = tables.dealt("ace-race", people, private=True)
    services.void_game(game_id=game.pk, reason=WHY, now=NOON)
    redealt = continuation.redeal(game.pk, reason=WHY, now=NOON)
    assert redealt.commitment != game.commitment
    assert tables.in_escrow(redealt) == 0
    tables.provide([stranger])
    with pytest.raises(SeatsTaken):
        services.take_seat(game=redealt, player=stranger, client_seed="", now=NOON)
    for who in reversed(people):
        assert access.visible_game(who, redealt.pk) == redealt
        services.take_seat(game=redealt, player=who, client_seed="fresh", now=NOON)
    assert [seat.player for seat in redealt.seatings.all()] == people
    services.start_game(game=redealt, actor=player, now=NOON)
    tables.play_out(redealt, people)
    assert proven(redealt, auditor)


def test_a_game_has_one_redeal(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    continuation.redeal(game.pk, reason=WHY, now=NOON)
    with pytest.raises(NotRedealable, match="already"):
        continuation.redeal(game.pk, reason=WHY, now=NOON)


def test_a_redeal_after_the_cash_out_is_staked_from_the_balance(player: Player, staked: Staked) -> None:
    game, session = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    ledger.cash_out(session=session, key="out", at=NOON)
    redealt = continuation.redeal(game.pk, reason=WHY, now=NOON)
    assert redealt.play_session is not None
    assert (redealt.play_session.is_open, redealt.play_session.cash_in) == (True, game.stake)


def test_a_redeal_that_the_player_cannot_stake_is_refused(player: Player, staked: Staked) -> None:
    game, session = staked(player, stake=95 * 104)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    ledger.cash_out(session=session, key="out", at=NOON)
    with pytest.raises(NotRedealable, match="insufficient-funds"):
        continuation.redeal(game.pk, reason=WHY, now=NOON)


def test_a_void_game_of_a_match_cannot_be_redealt(player: Player, rival: Player) -> None:
    _, game = tables.match_of([player, rival], deals=2)
    services.void_game(game_id=game.pk, reason=WHY, now=NOON)
    with pytest.raises(NotRedealable, match="match"):
        continuation.redeal(game.pk, reason=WHY, now=NOON)
    assert state.load(game.pk)[1].status == Status.VOID
