"""A prize above the limit waits for approval, and the tournament is settled nevertheless."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import override_settings

from accounts.roles import Role
from ledger import services as ledger
from ledger.models import Account
from ledger.payouts.models import Payout
from ledger.selectors import reconcile, transfers_of
from tests.conftest import known
from tests.databases import shared
from tests.ledger.locks import in_order, taken_too_early
from tests.money import CURRENCY, available
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, begin, close_round, entrants, play_round, settle
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
TERMS = {"rounds": 1, "fee": 500, "prizes": (7000, 3000), "rake": 0}


def ended(published: Publish, *names: str, **terms: int) -> Tournament:
    tournament = begin(published, *names, **{**TERMS, **terms})
    play_round(tournament, 1)
    tournament.refresh_from_db()
    return tournament


@shared
def waiting() -> Tournament:
    """An ended tournament of cid and dan, whose first prize waits for approval."""
    with override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=300):
        return ended(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan")


def test_a_large_prize_is_in_transit_and_the_escrow_is_empty(waiting: Tournament):
    assert (waiting.status, available(waiting.subject, "escrow")) == ("finished", 0)
    prizes = {award["amount"] for award in transfers_of(waiting.subject) if award["reason"] == "prize"}
    large = [amount for amount in prizes if amount > 300]
    payouts = list(Payout.objects.filter(kind="prize", subject=waiting.subject))
    assert {payout.amount for payout in payouts} == set(large)
    assert payouts
    for payout in payouts:
        assert payout.state == "requested"
        assert payout.requested_by == "tournaments"
        before = available(payout.payee)
        ledger.approve_payout(payout=payout.pk, actor="player:adam", at=NOW)
        assert available(payout.payee) == before + payout.amount
    assert list(reconcile()) == []


def test_a_rejected_prize_returns_to_the_bank_and_nothing_else_changes(waiting: Tournament):
    for payout in Payout.objects.all():
        before = available(payout.payee)
        ledger.reject_payout(payout=payout.pk, actor="player:adam", reason="collusion", at=NOW)
        assert available(payout.payee) == before
    assert available("house", "payable") == sum(Payout.objects.values_list("amount", flat=True))
    assert available(waiting.subject, "escrow") == 0
    assert list(reconcile()) == []


@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=0)
def test_prizes_of_bots_need_no_approval(published: Publish):
    tournament = ended(published, "cid", fill_to=3)
    bots = {
        row["credit"]
        for row in transfers_of(tournament.subject)
        if row["reason"] == "prize" and row["credit"].startswith("house")
    }
    assert bots <= {"house/promotion"}
    assert {payout.payee for payout in Payout.objects.all()} <= {
        row["credit"].removesuffix("/payable") for row in transfers_of(tournament.subject)
    }


def test_prizes_of_play_money_wait_only_if_a_limit_is_set(published: Publish):
    ended(published, "cid", "dan")
    assert not Payout.objects.exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=0)
def test_tournaments_that_pay_at_the_same_time_do_not_deadlock(published: Publish):
    tournament = begin(published, "cid", "dan", rounds=1, rake=500, fee=500, prizes=(7000, 3000))
    players = entrants(tournament)
    for player in players:
        ledger.payable(player.pk, CURRENCY)
    close_round(tournament)
    waited, early = taken_too_early(
        lambda: settle(tournament),
        in_order(Account.objects.all()),
    )
    assert waited >= 3
    assert early == []
