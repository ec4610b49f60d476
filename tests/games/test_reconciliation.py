"""The money of games is derived again from their events. Each difference is named with its event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from accounts.models import Player
from eventstore import store
from games import services
from games.models import GameRecord
from ledger import selectors
from ledger import services as ledger
from ledger.models import PlaySession, Transfer
from ledger.reconciliation.models import Difference
from ledger.reconciliation.services import reconcile_all
from ledger.stakes.pots import settle_pot
from tests.due_jobs import run_due
from tests.games.conftest import NOON
from tests.games.races import draw, open_market, open_table, to_the_end
from tests.games.staked import dealt, match_of, opened, play_out, provide, sit_down, table_of
from tests.ledger.betting.markets import bet, bettor
from tests.money import CURRENCY, change, fund
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Staked = Callable[..., tuple[GameRecord, PlaySession]]


@pytest.fixture
def collected(player: Player, staked: Staked) -> GameRecord:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return game


def found_after(*forgeries: str, replay: bool = False) -> list[Difference]:
    try:
        with transaction.atomic():
            for sql in forgeries:
                tamper(sql)
            found = reconcile_all(replay=replay).differences
            raise _Undone
    except _Undone:
        return found


class _Undone(Exception):
    pass


def checked(what: str, *, replay: bool = False) -> int:
    return next(each.number for each in reconcile_all(replay=replay).checked if each.what == what)


@pytest.mark.parametrize("replay", [False, True])
def test_a_correct_game_is_counted(collected: GameRecord, replay: bool) -> None:
    assert checked("the money of staked games", replay=replay) == 1
    assert found_after(replay=replay) == []


def test_the_stake_of_a_running_game_is_in_escrow_and_of_a_void_one_refunded(
    player: Player, staked: Staked
) -> None:
    game, _ = staked(player)
    assert found_after() == []
    services.void_game(game_id=game.pk, reason="fog", now=NOON)
    assert found_after() == []


def test_a_stake_that_differs_from_the_deal_is_found(collected: GameRecord) -> None:
    found = found_after("UPDATE ledger_transfer SET amount = amount - 1 WHERE key LIKE '%:stake'")
    [stake] = [each for each in found if each.what == "the money of staked games"]
    assert stake.subject == f"game:{collected.pk}"
    assert (stake.recorded, stake.derived) == (519, 520)
    assert stake.event == next(event.version for event in store.read(collected.pk) if event.type == "dealt")


def test_winnings_that_do_not_follow_from_the_outcome_are_found(player: Player, staked: Staked) -> None:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    legs = [
        ledger.Leg(
            ledger.account(owner="house:vegas-classic", purpose="bank", currency="XTS"),
            ledger.account(owner=f"player:{player.pk}", purpose="session", currency="XTS"),
            40,
            "winnings",
        )
    ]
    with transaction.atomic():
        ledger.post(key="gift", legs=legs, subject=f"game:{game.pk}", event=5, actor="x", at=NOON)
        [difference] = reconcile_all().differences
        transaction.set_rollback(True)
    assert (difference.recorded - difference.derived, difference.subject) == (40, f"game:{game.pk}")


def test_a_settlement_at_another_event_is_found(collected: GameRecord) -> None:
    found = found_after("UPDATE ledger_transfer SET event = 999 WHERE key LIKE '%:settlement'")
    assert {each.what for each in found} == {"the event"}


def test_a_changed_status_of_the_stake_is_found(collected: GameRecord) -> None:
    """The changed row agrees neither with the events of the game nor with the transfers."""
    found = found_after("UPDATE ledger_gamestake SET winnings = winnings + 1")
    assert {each.what for each in found} == {"its stake", "the winnings of a game"}
    assert {each.subject for each in found} == {f"game:{collected.pk}"}


def test_a_missing_stake_row_is_found(collected: GameRecord) -> None:
    found = found_after("DELETE FROM ledger_gamestake")
    assert ("its stake", "missing") in {(each.what, each.recorded) for each in found}


def test_a_replay_derives_money_from_the_moves_and_not_from_the_outcome(
    player: Player, staked: Staked
) -> None:
    """The outcome is rewritten by an attacker with access to the database; the moves still show what was paid."""
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    [data] = [event.data for event in store.read(game.pk) if event.type == "finished"]
    cards = data["outcome"]["cards"]
    text = "CAST(data AS text)" if connection.vendor == "sqlite" else "convert_from(data, 'UTF8')"
    lie = f"replace({text}, '\"cards\":{cards}', '\"cards\":{cards + 1}')"
    lie = f"CAST({lie} AS blob)" if connection.vendor == "sqlite" else f"convert_to({lie}, 'UTF8')"
    forgery = f"UPDATE eventstore_event SET data = {lie} WHERE type = 'finished'"
    assert {each.what for each in found_after(forgery)} == {"its stake", "the money of staked games"}
    assert found_after(forgery, replay=True) == []


def test_money_of_an_unknown_game_is_found(player: Player, staked: Staked) -> None:
    staked(player)
    unknown = f"game:{uuid4()}"
    found = found_after(f"UPDATE ledger_transfer SET subject = '{unknown}' WHERE key LIKE '%:stake'")
    assert {each.subject for each in found if each.what == "transfers without an explanation"} == {unknown}
    assert Transfer.objects.filter(subject=unknown).count() == 0


def test_a_race_settled_for_another_winner_is_found(organizer: Player) -> None:
    race = open_table(organizer)
    market = open_market(race)
    bet(market, "H", 100, bettor())
    bet(market, "S", 100, bettor())
    draw(race, organizer)
    to_the_end(race, organizer)
    assert checked("the winners of races") == 1
    found = found_after('UPDATE ledger_settlement SET winners = \'["H", "S"]\'')
    [winner] = [each for each in found if each.what == "the market of a race"]
    assert winner.recorded == "settled on H and S"
    assert winner.event == store.head(race.pk).version


def test_a_settlement_of_a_race_by_an_administrator_is_no_difference(organizer: Player) -> None:
    race = open_table(organizer)
    market = open_market(race)
    bet(market, "H", 100, bettor())
    ledger.void_market(market=market, reason="a wrong price", actor="player:adam", at=NOON)
    report = reconcile_all()
    assert report.ok
    assert any("settled by a person" in each.why and each.number == 1 for each in report.not_checked)


def test_an_outline_has_the_requested_events_of_known_streams(collected: GameRecord) -> None:
    events: Any = store.outline([collected.pk, uuid4()], ("created", "finished"))
    assert [type for _, type, _ in events[collected.pk]] == ["created", "finished"]
    assert list(events) == [collected.pk]
    assert store.outline([], ("created",)) == {}


def differences(replay: bool = False) -> list[str]:
    return [
        f"{found.what}: {found.recorded}, {found.derived}"
        for found in reconcile_all(replay=replay).differences
    ]


@contextmanager
def undone() -> Iterator[None]:
    """Roll back the defect, so that the checks after the test do not find it."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.slow
def test_all_kinds_of_staked_tables_agree_with_their_events(
    player: Player, rival: Player, stranger: Player
) -> None:
    people = [player, rival, stranger]
    change(table_of("ace-race"), rake=700, split=(8000, 2000))
    play_out(dealt("ace-race", people), people)
    play_out(dealt("racing-demons", people), people)
    provide(people, 10_000)
    waiting = opened("ace-race", player, seats=3)
    sit_down(waiting, people)
    services.leave_seat(game=waiting, player=rival, now=NOON)
    called_off = opened("racing-demons", player, seats=2)
    sit_down(called_off, people[:2])
    services.void_game(game_id=called_off.pk, reason="power cut", now=NOON)
    _, first = match_of(people, deals=1)
    match_of(people, deals=2)
    play_out(first, people)
    run_due(NOON)
    assert differences() == differences(replay=True) == []


@pytest.mark.slow
def test_a_pot_that_does_not_follow_the_outcome_is_found(
    player: Player, rival: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def upside_down(*, places: Sequence[Sequence[UUID]], **more: Any) -> object:
        flat = [who for place in places for who in place]
        return settle_pot(places=[[who] for who in reversed(flat)], **more)

    monkeypatch.setattr(ledger, "settle_pot", upside_down)
    people = [player, rival]
    with undone():
        game = play_out(dealt("ace-race", people, server_seed=bytes(range(32))), people)
        assert game.outcome is not None
        assert game.outcome["places"] == [[1], [0]]
        [found] = reconcile_all().differences
        last = store.head(game.pk).version
    assert (found.account, found.what, found.event) == (f"game:{game.pk}", "the division of its pot", last)


@pytest.mark.slow
def test_an_escrow_above_the_buy_ins_is_found(player: Player, rival: Player) -> None:
    people = [player, rival]
    provide(people, 10_000)
    game = opened("ace-race", player, seats=2)
    sit_down(game, people)
    with undone():
        fund(ledger.account(owner=f"game:{game.pk}", purpose="escrow", currency=CURRENCY), 7)
        [found] = selectors.reconcile()
    assert (found.account, found.what) == (f"game:{game.pk}/escrow", "the escrow of a pot")
    assert int(found.recorded) - int(found.derived) == 7


@pytest.mark.slow
def test_an_unpaid_seat_is_found(player: Player, rival: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "take_buy_in", lambda **_: None)
    with undone():
        dealt("ace-race", [player, rival])
        [found] = reconcile_all().differences
    assert (found.what, found.recorded) == ("who bought in", "")
    assert str(rival.pk) in str(found.derived)


@pytest.mark.slow
def test_a_ruling_on_a_pot_is_no_difference(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = play_out(dealt("racing-demons", people), people)
    ledger.resettle_pot(
        subject=f"game:{game.pk}", places=None, reason="marked cards", actor="player:adam", at=NOON
    )
    assert differences() == []
