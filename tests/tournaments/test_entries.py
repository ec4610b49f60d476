"""Entering and withdrawing: once, in time, within capacity, and with the fee."""

from __future__ import annotations

import pytest

from accounts.models import Player
from accounts.services import create_bot
from core.errors import Forbidden
from eventstore import store
from games.errors import EarlyAccessUsed
from games.models import EarlyAccess, GameRecord
from games.rules import BadSeed
from ledger.errors import InsufficientFunds
from ledger.selectors import transfers_of
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import FEE, NOW, enter, rich, start, terms
from tournaments import record, services
from tournaments.errors import AlreadyEntered, EntriesClosed, NotEntered, TournamentFull
from tournaments.models import Entry, Tournament

pytestmark = pytest.mark.django_db


def attempt(tournament: Tournament, player: Player, client_seed: str = "") -> Entry:
    return services.enter(tournament_id=tournament.pk, player=player, client_seed=client_seed, now=NOW)


def withdraw(tournament: Tournament, player: Player) -> None:
    services.withdraw(tournament_id=tournament.pk, player=player, now=NOW)


def test_the_fee_goes_into_escrow_with_the_event_that_names_it(published: Publish):
    tournament, player = published(), rich("cid")
    attempt(tournament, player, "my seed")
    event = store.read(tournament.pk)[-1]
    assert event.type == "entered"
    assert event.data == {
        "entry": 1,
        "player": str(player.pk),
        "bot": False,
        "fee": FEE,
    }
    [transfer] = transfers_of(tournament.subject)
    assert (transfer["debit"], transfer["credit"]) == (
        f"player:{player.pk}/cash",
        f"{tournament.subject}/escrow",
    )
    assert (transfer["amount"], transfer["event"]) == (FEE, event.version)


def test_an_entry_without_the_money_is_refused(published: Publish):
    tournament, player = published(), rich("cid", FEE - 1)
    before = store.head(tournament.pk)
    with pytest.raises(InsufficientFunds):
        attempt(tournament, player)
    assert store.head(tournament.pk) == before
    assert not Entry.objects.exists()
    assert available(f"player:{player.pk}") == FEE - 1


def test_a_second_entry_and_one_above_the_capacity_are_refused(published: Publish):
    tournament, player = published(capacity=2, prizes=(10_000,)), rich("cid")
    attempt(tournament, player)
    with pytest.raises(AlreadyEntered):
        attempt(tournament, player)
    assert available(f"player:{player.pk}") == 10_000 - FEE
    attempt(tournament, rich("dan"))
    with pytest.raises(TournamentFull):
        attempt(tournament, rich("flo"))


def test_a_withdrawal_refunds_the_fee_and_frees_the_place(published: Publish):
    tournament = published(capacity=3)
    cid, dan, eva, flo = (rich(name) for name in ("cid", "dan", "eva", "flo"))
    enter(tournament, cid, dan, eva)
    withdraw(tournament, dan)
    assert available(f"player:{dan.pk}") == 10_000
    attempt(tournament, flo)
    entrants = [(one.entry, one.player) for one in record.load(tournament.pk).entrants]
    assert entrants == [(1, str(cid.pk)), (3, str(eva.pk)), (4, str(flo.pk))]


def test_a_player_who_enters_again_is_last_and_pays_again(published: Publish):
    tournament = published()
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    for number in (3, 4):
        withdraw(tournament, cid)
        assert attempt(tournament, cid, "another").number == number
    assert available(f"player:{cid.pk}") == 10_000 - FEE
    assert available(tournament.subject, "escrow") == 2 * FEE
    assert [one.client_seed for one in tournament.entries.standing()] == ["seed of dan", "another"]


def test_only_entrants_can_withdraw(published: Publish):
    tournament, player = published(), rich("cid")
    with pytest.raises(NotEntered):
        withdraw(tournament, player)
    attempt(tournament, player)
    withdraw(tournament, player)
    with pytest.raises(NotEntered):
        withdraw(tournament, player)
    assert available(f"player:{player.pk}") == 10_000


def test_drafts_and_running_tournaments_take_no_entries_and_refund_no_fees(
    published: Publish, organizer: Player
):
    with pytest.raises(EntriesClosed):
        attempt(services.create(organizer=organizer, terms=terms(fee=0), now=NOW), rich("flo"))
    tournament = published()
    cid, dan, eva = rich("cid"), rich("dan"), rich("eva")
    enter(tournament, cid, dan)
    start(tournament)
    with pytest.raises(EntriesClosed):
        attempt(tournament, eva)
    withdraw(tournament, cid)
    with pytest.raises(NotEntered):
        withdraw(tournament, cid)
    assert available(f"player:{cid.pk}") == 10_000 - FEE


def test_invalid_client_seeds_and_bots_are_refused(published: Publish):
    tournament, player = published(), rich("cid")
    for seed in ("a|b", "x" * 65, "\0", "\ud800"):
        with pytest.raises(BadSeed):
            attempt(tournament, player, seed)
    with pytest.raises(Forbidden):
        attempt(tournament, create_bot(name="steady"))
    assert not Entry.objects.exists()


def test_an_auditor_with_early_access_cannot_enter(published: Publish, auditor: Player):
    tournament = published(fee=0, fill_to=2)
    other = published(fee=0, fill_to=2)
    start(other)
    game = GameRecord.objects.filter(tournament=other.pk).first()
    EarlyAccess.objects.create(
        viewer=auditor, game=game, tournament=tournament.pk, what="view", at=NOW, event=1
    )
    with pytest.raises(EarlyAccessUsed):
        attempt(tournament, auditor)
