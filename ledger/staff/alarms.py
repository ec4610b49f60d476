"""The alarms of the ledger."""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import BooleanField, F
from django.db.models.expressions import RawSQL
from django.urls import reverse

from ledger.betting.models import ENDED, Market
from ledger.core.selectors import TrialBalance
from ledger.models import Account, Hold, OwnerKind, Purpose, Transfer
from ledger.money import currency_name, money
from ledger.payouts import models as states
from ledger.payouts.models import Payout, PayoutState
from ledger.reconciliation.models import Reconciliation
from ledger.reports.flows import hyphenated, id_of
from ledger.reports.purposes import trial_balances
from ledger.staff import wording
from ledger.staff.banks import Banks, banks
from staff import subjects
from staff.dashboard import MOST_NAMED, NAMED, Alarm, listed, register_alarms

LATE = timedelta(minutes=2)
"""The delay after which an expired hold counts as late."""

PAYOUT = "Payout"
"""The kind of the tasks in the work queue."""

PAID_WITHIN = timedelta(days=1)
RECONCILED_WITHIN = timedelta(days=2)


@register_alarms(0)
def ledger_alarms(
    now: datetime, lines: Iterable[Banks] | None = None, trials: Iterable[TrialBalance] | None = None
) -> list[Alarm]:
    """Return the alarms of the ledger. Banks and trial balances may be passed in if known."""
    balances = trial_balances() if trials is None else list(trials)
    return [
        *_unbalanced(balances),
        *_reconciliation(now),
        *_escrows(balances),
        *_banks(banks(now=now) if lines is None else lines),
        *_holds(now),
        *_payouts(now),
    ]


def _unbalanced(balances: Iterable[TrialBalance]) -> Iterator[Alarm]:
    for trial in balances:
        if trial.total:
            yield Alarm(
                f"The trial balance in {currency_name(trial.currency)} is not zero",
                f"The sum of all accounts is {money(trial.total, trial.currency)}. Run a reconciliation.",
                reverse("admin:ledger_account_changelist"),
            )


def _reconciliation(now: datetime) -> Iterator[Alarm]:
    """Yield alarms if the last reconciliation found differences or is too old."""
    last = Reconciliation.objects.order_by("-at", "-id").first()
    if last is not None and last.differences:
        named = [str(each) for each in last.named()[:NAMED]]
        title = f"The reconciliation of {last.at:%d %b %H:%M} found differences: {last.differences}"
        yield Alarm(title, listed(named, last.differences))
    first = Transfer.objects.order_by("position").values_list("at", flat=True).first()
    since = first if last is None else last.at
    if since is not None and since < now - RECONCILED_WITHIN:
        detail = "never" if last is None else f"{last.at:%d %b %H:%M}"
        yield Alarm(
            "The ledger has not been reconciled for two days",
            f"Last reconciliation: {detail}. Is the ticker running? `manage.py reconcile` runs one now.",
        )


_ENDED_WITH_MONEY = (
    "SELECT a.id FROM ledger_account a JOIN ledger_gamestake g ON g.game = {key} "
    "WHERE a.kind = 'game' AND a.purpose = 'escrow' AND a.credits <> a.debits AND g.status <> 'open'"
)


def _escrows(balances: Iterable[TrialBalance]) -> Iterator[Alarm]:
    """Yield alarms for escrows of ended games and markets that are not empty.

    All escrows are read only if they have more than those of open games, pots, and markets.
    """
    recorded = {
        (trial.currency, row["kind"]): row["balance"]
        for trial in balances
        for row in trial.rows
        if row["purpose"] == Purpose.ESCROW and row["balance"]
    }
    open_games, open_markets = _open_escrows()
    if _of_kind(recorded, OwnerKind.GAME) != open_games:
        with connection.cursor() as cursor:
            cursor.execute(_ENDED_WITH_MONEY.replace("{key}", id_of("game", "a.kind", "a.key")))
            games = Account.objects.filter(pk__in=[row[0] for row in cursor.fetchall()[:MOST_NAMED]])
        yield from left_over("game", games.order_by("pk")[:MOST_NAMED])
    if _of_kind(recorded, OwnerKind.MARKET) != open_markets:
        ended = Market.objects.filter(status__in=ENDED).exclude(escrow__credits=F("escrow__debits"))
        markets = Account.objects.filter(pk__in=ended.values("escrow"))
        yield from left_over("market", markets.order_by("pk")[:MOST_NAMED])


def _of_kind(balances: Mapping[tuple[str, str], int], kind: str) -> dict[str, int]:
    return {currency: balance for (currency, of), balance in balances.items() if of == kind}


def _open_escrows() -> tuple[dict[str, int], dict[str, int]]:
    """Return what the escrows of open games and pots have, and those of open markets, by currency."""
    # The states are part of the SQL, because SQLite does not use a partial index for a parameter.
    games = (
        "SELECT a.currency, sum(a.credits - a.debits) FROM ledger_account a JOIN ("
        f"SELECT {hyphenated('game')} AS key FROM ledger_gamestake WHERE status = 'open' "
        "UNION SELECT substr(subject, 6) FROM ledger_pot WHERE status = 'open' AND subject LIKE 'game:%'"
        ") o ON a.key = o.key WHERE a.kind = 'game' AND a.purpose = 'escrow' "
    )
    markets = (
        "SELECT a.currency, sum(a.credits - a.debits) FROM ledger_market m "
        "JOIN ledger_account a ON a.id = m.escrow_id WHERE m.status IN ('open', 'closed', 'settling') "
    )
    with connection.cursor() as cursor:
        found = []
        for sql in (games, markets):
            cursor.execute(f"{sql}GROUP BY a.currency HAVING sum(a.credits - a.debits) <> 0")
            found.append({currency: int(balance) for currency, balance in cursor.fetchall()})
    return found[0], found[1]


def left_over(what: str, accounts: Iterable[Account]) -> Iterator[Alarm]:
    """Return the alarm that these escrows of ended subjects are not empty, if any."""
    found = list(accounts)
    if found:
        names = wording.names(found[:NAMED])
        named = [
            f"{names[account.pk]} of {money(account.total, account.currency)}" for account in found[:NAMED]
        ]
        yield Alarm(
            f"The escrow of an ended {what} is not empty",
            listed(named, len(found)),
            reverse("admin:ledger_account_change", args=[found[0].pk]),
        )


def _banks(lines: Iterable[Banks]) -> Iterator[Alarm]:
    for bank in (line for each in lines for line in each.lines):
        currency, name = bank.table.currency, str(bank.table)
        address = reverse("admin:ledger_staketable_changelist")
        held, promised = bank.balance.held, bank.promised
        if held != promised:
            yield Alarm(
                f"The bank of {name} does not hold its worst case",
                f"It holds {money(held, currency)}; open games and markets can cost {money(promised, currency)}.",
                address,
            )
        if bank.limit is not None and held > bank.limit:
            yield Alarm(
                f"The bank of {name} holds more than its limit",
                f"It holds {money(held, currency)} of at most {money(bank.limit, currency)}.",
                address,
            )
        if bank.open and bank.headroom == 0 and bank.balance.total:
            yield Alarm(
                f"The bank of {name} has no headroom",
                "New games and bets at fixed odds are refused until one ends, or the bank or its limit is raised.",
                address,
            )


def _holds(now: datetime) -> Iterator[Alarm]:
    # The state is part of the SQL, because SQLite does not use a partial index for a parameter.
    late = Hold.objects.filter(
        RawSQL("ledger_hold.state = 'held'", (), output_field=BooleanField()), expires_at__lt=now - LATE
    )
    found = list(late.order_by("expires_at")[:MOST_NAMED])
    if found:
        links = subjects.links(hold.subject for hold in found[:NAMED])
        named = [
            f"{links[hold.subject].text or 'a hold'} since {hold.expires_at:%d %b %H:%M}"
            for hold in found[:NAMED]
        ]
        yield Alarm(
            "Holds are not released after their expiry",
            listed(named, len(found)),
            reverse("admin:ledger_hold_changelist") + "?state=held",
        )


def _payouts(now: datetime) -> Iterator[Alarm]:
    """Yield the alarm for payouts that wait for a decision or for payment."""
    waiting = Payout.objects.filter(
        state__in=[*states.UNDECIDED, PayoutState.APPROVED], requested_at__lt=now - PAID_WITHIN
    )
    found = list(waiting.order_by("requested_at")[:MOST_NAMED])
    if found:
        named = [f"{each} of {money(each.amount, each.currency)}, {each.state}" for each in found[:NAMED]]
        yield Alarm(
            f"Payouts waiting for more than a day: {len(found)}",
            listed(named, len(found)),
            reverse("admin:ledger_payout_changelist"),
            work=PAYOUT,
        )
