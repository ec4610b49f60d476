"""Pots are compared with the events of their games: seats, terms, and places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from accounts.models import Player
from eventstore import store
from games import services
from ledger import selectors
from ledger import services as ledger
from ledger.reconciliation.services import reconcile_all
from ledger.stakes.pots import settle_pot
from tests.due_jobs import run_due
from tests.games.staked import NOON, dealt, match_of, opened, play_out, provide, sit_down, table_of
from tests.money import CURRENCY, change, fund

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]


def result(replay: bool = False) -> list[str]:
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
    assert result() == result(replay=True) == []


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


def test_an_unpaid_seat_is_found(player: Player, rival: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "take_buy_in", lambda **_: None)
    with undone():
        dealt("ace-race", [player, rival])
        [found] = reconcile_all().differences
    assert (found.what, found.recorded) == ("who bought in", "")
    assert str(rival.pk) in str(found.derived)


def test_a_ruling_on_a_pot_is_no_difference(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = play_out(dealt("racing-demons", people), people)
    ledger.resettle_pot(
        subject=f"game:{game.pk}", places=None, reason="marked cards", actor="player:adam", at=NOON
    )
    assert result() == []
