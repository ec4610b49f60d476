"""Clients of the ledger are killed at any moment and continue: no command is lost or takes effect twice.

Each client writes down what it means to do, does it, and writes down the answer. Killed by SIGKILL in between, its next
life does the same once more under the same key, as a client of the API would.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connections

from ledger import selectors
from ledger.betting import settlements
from ledger.betting.models import ENDED, Market, Settlement
from ledger.models import Account, GameStake, Transfer
from ledger.reconciliation.books import check_books
from ledger.reconciliation.derivations import check_subjects
from ledger.reconciliation.models import Difference, Found, LedgerReport
from ledger.services import refund_stake, void_market
from tests.conftest import person
from tests.installation import until
from tests.ledger.client_actions import ACTIONS, EFFECT, Intent, Journal, live
from tests.money import AT, CURRENCY, bankroll, cash, fund

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

EXPECTED = {
    "done",
    "insufficient-funds",
    "bank-limit",
    "session-open",
    "session-closed",
    "event-money",
    "game-in-progress",
    "stake-ended",
    "winnings-too-large",
    "hold-resolved",
    "already-reversed",
    "not-reversible",
    "market-closed",
    "market-ended",
    "market-not-closed",
    "market-not-ended",
    "bet-ended",
    "bet-not-cancellable",
}
CLIENTS = 3


def life(journal: Path, players: list[UUID], seed: int, stop: Path) -> None:
    connections.close_all()
    settlements.BETS_SETTLED_AT_ONCE = (
        4  # larger markets are settled in steps with a commit each, so that kills occur between them
    )
    live(Journal(journal), players, seed, stop)
    connections.close_all()


class Client:
    """A client with one journal, which is restarted after every kill."""

    def __init__(self, folder: Path, number: int, players: list[UUID], stop: Path) -> None:
        self.journal = folder / f"client{number}"
        self.journal.touch()
        self._start = (self.journal, players, number, stop)
        self.process: multiprocessing.process.BaseProcess | None = None
        self.seen = 0

    def begin(self) -> None:
        self.seen = self.journal.stat().st_size
        self.process = multiprocessing.get_context("fork").Process(target=life, args=self._start)
        self.process.start()

    def has_moved(self) -> bool:
        """Return whether the process has completed an action, so that it is performing another."""
        return self.journal.stat().st_size > self.seen

    def kill(self) -> None:
        assert self.process is not None
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        assert self.process.exitcode == -signal.SIGKILL

    def end(self) -> None:
        assert self.process is not None
        self.process.join(120)
        assert self.process.exitcode == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "kills", [16, pytest.param(250, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_killed_clients_lose_and_double_nothing(kills: int, tmp_path: Path) -> None:
    chance = random.Random(kills)
    bankroll(30_000)
    players = [person(f"player{number}").pk for number in range(4)]
    for player in players:
        fund(cash(player), 5000)
    stop = tmp_path / "stop"
    connections.close_all()
    clients = [Client(tmp_path, number, players, stop) for number in range(CLIENTS)]
    for client in clients:
        client.begin()
    try:
        for _ in range(kills):
            client = chance.choice(clients)
            until(client.has_moved, "the client has done something")
            time.sleep(
                chance.random() * 0.02
            )  # no synchronization, so that the kill occurs at any point of an action
            client.kill()
            client.begin()
    finally:
        stop.touch()
        for client in clients:
            client.end()
    journals = [Journal(client.journal) for client in clients]
    answers = responses_are_correct(journals)
    assert answers["done"] > kills, answers
    if kills >= 250:
        tally = by_action(journals)
        assert {action for action, answer in tally if answer == "done"} == set(ACTIONS), tally
    nothing_is_lost(journals)
    everything_ends()


def responses_are_correct(journals: list[Journal]) -> Counter[str]:
    """Check that every intent has a response, and took effect once if accepted, and not at all if refused."""
    tally: Counter[str] = Counter()
    for intent, answer in reported(journals):
        tally[answer] += 1
        assert answer in EXPECTED, (intent, answer)
        if intent["action"] in EFFECT:
            assert EFFECT[intent["action"]](intent) == (answer == "done"), (intent, answer)
    return tally


def by_action(journals: list[Journal]) -> Counter[tuple[str, str]]:
    """Count the responses of each action."""
    return Counter((intent["action"], answer) for intent, answer in reported(journals))


def reported(journals: list[Journal]) -> Iterator[tuple[Intent, str]]:
    for journal in journals:
        answers = journal.answered()
        for key, intent in journal.intents().items():
            yield intent, answers[key]


def nothing_is_lost(journals: list[Journal]) -> None:
    """Check that exactly the acknowledged deposits are in the ledger."""
    paid_in = sum(
        intent["amount"]
        for intent, answer in reported(journals)
        if (intent["action"], answer) == ("deposit", "done")
    )
    rows = Transfer.objects.filter(key__startswith="action:", reverses=None, debit__purpose="external")
    assert sum(rows.values_list("amount", flat=True)) == paid_in
    assert balances_differing() == []
    assert not [each.text for each in Account.objects.exclude(min_balance=None) if each.available < 0]


def everything_ends() -> None:
    """End all open business, and check that escrows are empty and all accounts add up to zero."""
    for staked in GameStake.objects.filter(status="open"):
        refund_stake(game=staked.game, event=9, at=AT)
    for market in Market.objects.filter(status__in=["open", "closed"]):
        void_market(market=market, reason="the end", at=AT)
    for made in Settlement.objects.filter(done_at=None):
        settlements.carry_on(settlement=made.pk, at=AT)
    assert not Market.objects.exclude(status__in=ENDED).exists()
    assert not [each.text for each in Account.objects.filter(purpose="escrow") if each.total]
    assert selectors.trial_balance(CURRENCY).total == 0
    assert balances_differing() == []


def balances_differing() -> list[Difference]:
    report = LedgerReport()
    report.take(check_books())
    # The stakes of this test belong to no played game, so differences of games are expected.
    report.take(each for each in check_subjects() if not _of_a_game(each))
    assert report.checked
    return report.differences


def _of_a_game(found: Found) -> bool:
    return isinstance(found, Difference) and found.subject.startswith("game:")
