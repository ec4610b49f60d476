"""A dispute is opened by whom the game concerns, once, in time, at an event that stands; and can be taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from config.streams import _asked
from disputes import holds, selectors, services
from disputes.errors import (
    AlreadyRuled,
    DisputeMovedOn,
    DisputeOpen,
    DisputeTooLate,
    NotYourDispute,
    NotYourGame,
    UnknownDispute,
)
from disputes.models import Dispute
from eventstore import store
from games import services as games
from games.errors import NoSuchVersion, NotStarted
from games.models import GameRecord
from jobs.testing import run_due
from ledger import selectors as books
from tests.disputes.conftest import LATER, Opens, decide, ruled
from tests.games.staked import NOON, dealt, play_out, provide, sit_down
from tests.games.staked import opened as table_opened

pytestmark = pytest.mark.django_db


def held(*people: Player) -> list[int]:
    return [books.balance(owner=f"player:{who.pk}", purpose="cash", currency="XTS").held for who in people]


def test_a_seat_disputes_its_game_at_a_version(opened: Opens, played: GameRecord, player: Player) -> None:
    dispute = opened(played, player, version=3)
    event = store.read(played.pk, after=2, until=3)[0]
    assert (dispute.seat, dispute.version, dispute.hash) == (0, 3, event.hash)
    [first] = store.read(dispute.pk)
    assert first.type == "opened"
    assert first.data["hash"] == event.hash


def test_what_the_game_paid_is_held_and_no_more(
    opened: Opens, played: GameRecord, people: list[Player]
) -> None:
    paid = [books.balance(owner=f"player:{who.pk}", purpose="cash", currency="XTS").total for who in people]
    dispute = opened(played, people[0])
    assert held(*people) == [total - 480 for total in paid]
    services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER)
    assert held(*people) == [0, 0]
    assert [event.type for event in store.read(dispute.pk)] == ["opened", "withdrawn"]


def test_it_is_held_until_the_last_dispute_of_the_game_has_ended(
    opened: Opens, played: GameRecord, people: list[Player]
) -> None:
    mine, theirs = (opened(played, who) for who in people)
    services.withdraw(dispute_id=mine.pk, actor=people[0], now=LATER)
    assert sum(held(*people)) == 1040
    services.withdraw(dispute_id=theirs.pk, actor=people[1], now=LATER)
    assert sum(held(*people)) == 0


def test_what_a_game_pays_that_was_disputed_while_it_was_played_is_held(
    opened: Opens, people: list[Player]
) -> None:
    game = dealt("ace-race", people)
    opened(game, people[0])
    assert holds.standing(game) is None
    game = play_out(game, people)
    assert sum(held(*people)) == 0
    run_due(NOON)
    assert sum(held(*people)) == 1040


def test_a_stranger_disputes_nothing(opened: Opens, played: GameRecord, stranger: Player) -> None:
    with pytest.raises(NotYourGame):
        opened(played, stranger)
    assert not Dispute.objects.exists()


def test_nothing_is_disputed_before_the_deal(opened: Opens, people: list[Player]) -> None:
    provide(people)
    game = table_opened("ace-race", people[0], seats=2)
    sit_down(game, people)
    with pytest.raises(NotStarted):
        opened(game, people[0])
    games.void_game(game_id=game.pk, reason="over", now=NOON)


def test_there_is_a_time_for_it(opened: Opens, played: GameRecord, player: Player) -> None:
    with pytest.raises(DisputeTooLate):
        opened(played, player, now=NOON + timedelta(days=7, seconds=1))
    assert opened(played, player, now=NOON + timedelta(days=7)).status == "open"


@pytest.mark.parametrize("version", [0, 10_000])
def test_it_is_at_an_event_that_stands(
    opened: Opens, played: GameRecord, player: Player, version: int
) -> None:
    with pytest.raises(NoSuchVersion):
        opened(played, player, version=version)


def test_each_seat_has_one_at_a_time(opened: Opens, played: GameRecord, player: Player) -> None:
    first = opened(played, player)
    with pytest.raises(DisputeOpen) as refused:
        opened(played, player)
    assert refused.value.extra == {"dispute": str(first.pk)}
    services.withdraw(dispute_id=first.pk, actor=player, now=LATER)
    assert opened(played, player).pk != first.pk


def test_what_was_ruled_on_is_appealed_and_not_claimed_again(
    opened: Opens, played: GameRecord, player: Player, auditor: Player
) -> None:
    ruled(opened(played, player), auditor, decide("dismissed"))
    with pytest.raises(AlreadyRuled):
        opened(played, player)


def test_only_its_opener_withdraws_it_and_only_before_a_ruling(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    dispute = opened(played, people[0])
    with pytest.raises(NotYourDispute):
        services.withdraw(dispute_id=dispute.pk, actor=people[1], now=LATER)
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(DisputeMovedOn):
        services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER)


def test_a_claim_on_a_running_game_is_for_its_opener_and_who_looks_early(
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
    assert game.early_looks.filter(looker=auditor, what="dispute").count() == 1
    set_roles(player=people[1], roles=frozenset({Role.AUDITOR}), by=None, now=NOON)
    at_the_table = Player.objects.get(pk=people[1].pk)
    assert "Spades" not in str(selectors.document(dispute, at_the_table, now=LATER))
    assert not selectors.queue(stranger).exists()
    play_out(game, people)
    dispute = Dispute.objects.get()
    assert "Spades" in str(selectors.document(dispute, people[1], now=LATER))


def test_the_feed_follows_a_dispute_for_whom_it_concerns(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player
) -> None:
    dispute = opened(played, people[0])
    query = f"dispute={dispute.pk}@0".encode()
    scope = {"path": "/api/v1/feed/", "method": "GET", "headers": [], "query_string": query}
    parse = _asked(scope)
    assert parse is not None
    [source] = parse().cursors
    assert [event["type"] for event in source.events(people[1], 0)] == ["opened"]
    assert source.events(people[1], 1) == []
    with pytest.raises(UnknownDispute):
        source.events(stranger, 0)
