"""What a player has staked, lost and paid in, from the transfers themselves.

A stake is a transfer from an account of the player's into an escrow of a game, market or tournament; what comes back
for a reason of REFUNDS undoes it. A loss is what went into escrows and banks less what came out of them. A deposit
comes from the world outside. Moves between accounts of one player count for nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from ledger.limits import terms
from ledger.limits.windows import Move, standing
from ledger.models import Account, OwnerKind, Purpose, Transfer

REFUNDS = (
    *("refund", "bet cancelled", "bet refunded", "withdrawal", "cancelled"),
    *("buy-in given back", "buy-in refunded"),
)
"""Reasons of transfers out of an escrow that undo a stake; any other is a return."""

_AT_RISK = (Purpose.ESCROW, Purpose.BANK)


def used(*, player: UUID, currency: str, kind: str, periods: Collection[str], at: datetime) -> dict[str, int]:
    """Pence used of the windows that end at `at`, by period; open stakes are lost until they are settled."""
    own = _own(player, currency)
    starts = {period: at - terms.LENGTHS[period] for period in periods}
    if kind == terms.DEPOSIT:
        return _sums(_deposits(own), starts)
    if kind == terms.LOSS:
        paid, received = _sums(_at_risk(own, "debit"), starts), _sums(_at_risk(own, "credit"), starts)
        return {period: max(0, paid[period] - received[period]) for period in periods}
    return _staked(own, starts)


def moves(*, player: UUID, currency: str, kind: str, period: str, at: datetime) -> list[Move]:
    """All that counts in a window, one by one."""
    own, start = _own(player, currency), at - terms.LENGTHS[period]
    if kind == terms.DEPOSIT:
        return _moves(_deposits(own), start)
    if kind == terms.LOSS:
        paid, received = _moves(_at_risk(own, "debit"), start), _moves(_at_risk(own, "credit"), start)
        return [*paid, *(Move(move.at, -move.amount) for move in received)]
    refunded = _refunded_since(own, start)
    untouched = _moves(_stakes(own).exclude(credit__in=refunded), start)
    return [*untouched, *(stake for stake in _standing(own, refunded) if stake.at > start)]


# --- parts -------------------------------------------------------------------------------------------


def _own(player: UUID, currency: str) -> list[int]:
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player), currency=currency)
    return list(owned.values_list("pk", flat=True))


def _deposits(own: list[int]) -> QuerySet[Transfer]:
    return Transfer.objects.filter(
        credit__in=own, debit__purpose=Purpose.EXTERNAL, reverses=None, reversed_by=None
    )


def _stakes(own: list[int]) -> QuerySet[Transfer]:
    # The reversal of a payout goes into an escrow too.
    return Transfer.objects.filter(debit__in=own, credit__purpose=Purpose.ESCROW, reverses=None)


def _refunds(own: list[int]) -> QuerySet[Transfer]:
    return Transfer.objects.filter(
        credit__in=own, debit__purpose=Purpose.ESCROW, reason__in=REFUNDS, reverses=None, reversed_by=None
    )


def _at_risk(own: list[int], side: str) -> QuerySet[Transfer]:
    """What went into escrows and banks (`debit`), or came from there (`credit`)."""
    other = "credit" if side == "debit" else "debit"
    return Transfer.objects.filter(**{f"{side}__in": own, f"{other}__purpose__in": _AT_RISK})


def _sums(rows: QuerySet[Transfer], starts: Mapping[str, datetime]) -> dict[str, int]:
    sums = {period: Sum("amount", filter=Q(at__gt=start), default=0) for period, start in starts.items()}
    return dict(rows.filter(at__gt=min(starts.values())).aggregate(**sums))


def _moves(rows: QuerySet[Transfer], start: datetime) -> list[Move]:
    return [Move(at, amount) for at, amount in rows.filter(at__gt=start).values_list("at", "amount")]


def _staked(own: list[int], starts: Mapping[str, datetime]) -> dict[str, int]:
    staked = _sums(_stakes(own), starts)
    refunded = _refunded_since(own, min(starts.values()))
    if not refunded:
        return staked
    undone = _sums(_stakes(own).filter(credit__in=refunded), starts)
    left = _standing(own, refunded)
    return {
        period: staked[period] - undone[period] + sum(stake.amount for stake in left if stake.at > start)
        for period, start in starts.items()
    }


def _refunded_since(own: list[int], start: datetime) -> list[int]:
    return list(_refunds(own).filter(at__gt=start).values_list("debit", flat=True).distinct())


def _standing(own: list[int], escrows: Collection[int]) -> list[Move]:
    """What still stands of all stakes that ever went into these escrows."""
    staked: dict[int, list[Move]] = defaultdict(list)
    for escrow, at, amount in _stakes(own).filter(credit__in=escrows).values_list("credit", "at", "amount"):
        staked[escrow].append(Move(at, amount))
    back = _refunds(own).filter(debit__in=escrows).values_list("debit").annotate(Sum("amount"))
    refunded = dict(back)
    return [stake for escrow, stakes in staked.items() for stake in standing(stakes, refunded.get(escrow, 0))]
