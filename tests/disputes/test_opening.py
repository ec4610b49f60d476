"""Test opening and withdrawing disputes, and the hold on what the game paid."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from config.streams.application import _parser
from core.errors import NoSuchVersion
from disputes import access, money, selectors, services
from disputes.errors import (
    AlreadyRuled,
    DisputeOpen,
    DisputeTooLate,
    DisputeUnexpectedState,
    NotYourDispute,
    NotYourGame,
    UnknownDispute,
)
from disputes.models import Dispute
from eventstore import store
from games.models import GameRecord
from ledger import selectors as books
from tests.disputes.conftest import LATER, Opens, decide, ruled
from tests.due_jobs import run_due
from tests.games.staked import NOON, dealt, play_out

pytestmark = pytest.mark.django_db


def held(*people: Player) -> list[int]:
    return [books.balance(owner=f"player:{who.pk}", purpose="cash", currency="XTS").held for who in people]


def test_player_disputes_game_at_version(opened: Opens, played: GameRecord, player: Player) -> None:
    dispute = opened(played, player, version=3)
    event = store.read(played.pk, after=2, until=3)[0]
    assert (dispute.seat, dispute.version, dispute.hash) == (0, 3, event.hash)
    [first] = store.read(dispute.pk)
    assert first.type == "opened"
    assert first.data["hash"] == event.hash


def test_hold_covers_only_what_the_game_paid(opened: Opens, played: GameRecord, people: list[Player]) -> None:
    paid = [books.balance(owner=f"player:{who.pk}", purpose="cash", currency="XTS").total for who in people]
    dispute = opened(played, people[0])
    assert held(*people) == [total - 480 for total in paid]
    services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER)
    assert held(*people) == [0, 0]
    assert [event.type for event in store.read(dispute.pk)] == ["opened", "withdrawn"]


def test_hold_lasts_until_last_dispute_ends(opened: Opens, played: GameRecord, people: list[Player]) -> None:
    mine, theirs = (opened(played, who) for who in people)
    services.withdraw(dispute_id=mine.pk, actor=people[0], now=LATER)
    assert sum(held(*people)) == 1040
    services.withdraw(dispute_id=theirs.pk, actor=people[1], now=LATER)
    assert sum(held(*people)) == 0


def test_game_disputed_in_play_is_held_at_its_end(opened: Opens, people: list[Player]) -> None:
    game = dealt("ace-race", people)
    opened(game, people[0])
    assert money.current_hold(game) is None
    game = play_out(game, people)
    assert sum(held(*people)) == 0
    run_due(NOON)
    assert sum(held(*people)) == 1040


def test_strangers_and_missing_events_are_refused(
    opened: Opens, played: GameRecord, player: Player, stranger: Player
) -> None:
    with pytest.raises(NotYourGame):
        opened(played, stranger)
    for version in (0, 10_000):
        with pytest.raises(NoSuchVersion):
            opened(played, player, version=version)
    assert not Dispute.objects.exists()


def test_dispute_period_ends(opened: Opens, played: GameRecord, player: Player) -> None:
    with pytest.raises(DisputeTooLate):
        opened(played, player, now=NOON + timedelta(days=7, seconds=1))
    assert opened(played, player, now=NOON + timedelta(days=7)).status == "open"


def test_one_open_dispute_per_player(opened: Opens, played: GameRecord, player: Player) -> None:
    first = opened(played, player)
    with pytest.raises(DisputeOpen) as refused:
        opened(played, player)
    assert refused.value.extra == {"dispute": str(first.pk)}
    services.withdraw(dispute_id=first.pk, actor=player, now=LATER)
    assert opened(played, player).pk != first.pk


def test_only_opener_withdraws_before_ruling(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    dispute = opened(played, people[0])
    with pytest.raises(NotYourDispute):
        services.withdraw(dispute_id=dispute.pk, actor=people[1], now=LATER)
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(DisputeUnexpectedState):
        services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER)
    with pytest.raises(AlreadyRuled):
        opened(played, people[0])


def test_claim_on_running_game_is_hidden(
    opened: Opens, people: list[Player], auditor: Player, administrator: Player, stranger: Player
) -> None:
    game = dealt("ace-race", people)
    dispute = opened(game, people[0], claim="I held the Ace of Spades")
    for who in (people[1], administrator):
        shown = selectors.document(dispute, who, now=LATER)
        assert "Spades" not in str(shown)
        assert "Spades" not in str(selectors.events_for(who, dispute.pk))
    assert "Spades" in str(selectors.document(dispute, people[0], now=LATER))
    assert "Spades" not in str(selectors.events_for(auditor, dispute.pk))
    assert "Spades" in str(selectors.document(dispute, auditor, now=LATER))
    assert game.early_accesses.filter(viewer=auditor, what="dispute").count() == 1
    set_roles(player=people[1], roles=frozenset({Role.AUDITOR}))
    at_the_table = Player.objects.get(pk=people[1].pk)
    assert "Spades" not in str(selectors.document(dispute, at_the_table, now=LATER))
    assert not access.visible_disputes(stranger).exists()
    play_out(game, people)
    dispute = Dispute.objects.get()
    assert "Spades" in str(selectors.document(dispute, people[1], now=LATER))


def test_event_stream_of_dispute_is_for_parties(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player
) -> None:
    dispute = opened(played, people[0])
    query = f"dispute={dispute.pk}@0".encode()
    scope = {"path": "/api/v1/feed/", "method": "GET", "headers": [], "query_string": query}
    parse = _parser(scope)
    assert parse is not None
    [source] = parse().cursors
    assert [event["type"] for event in source.events(people[1], 0)] == ["opened"]
    assert source.events(people[1], 1) == []
    with pytest.raises(UnknownDispute):
        source.events(stranger, 0)
