"""What a line of a statement has to do with, told from its transfer alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q, TextChoices

if TYPE_CHECKING:
    from ledger.models import Transfer


class LineKind(TextChoices):
    CORRECTION = "correction", "takes another transfer back"
    OUTSIDE = "outside", "deposits and withdrawals"
    GAME = "game", "stakes, buy-ins and winnings"
    BET = "bet", "bets and what they returned"
    TOURNAMENT = "tournament", "fees and prizes"
    OWN = "own", "between accounts of one player"
    OTHER = "other"


_SUBJECTS = {LineKind.GAME: "game:", LineKind.BET: "market:", LineKind.TOURNAMENT: "tournament:"}


def kind_of(row: Transfer) -> LineKind:
    """The first of the kinds that fits, in their order."""
    if row.reverses_id is not None:
        return LineKind.CORRECTION
    if "external" in (row.debit.purpose, row.credit.purpose):
        return LineKind.OUTSIDE
    for kind, prefix in _SUBJECTS.items():
        if row.subject.startswith(prefix):
            return kind
    if row.debit.kind == row.credit.kind == "player":
        return LineKind.OWN
    return LineKind.OTHER


def of_kind(kind: LineKind) -> Q:
    """The transfers of which `kind_of` says so."""
    before = Q()
    for other in LineKind:
        if other == kind:
            return before & _fits(kind)
        before &= ~_fits(other)
    raise ValueError(kind)


def _fits(kind: LineKind) -> Q:
    if kind == LineKind.CORRECTION:
        return Q(reverses__isnull=False)
    if kind == LineKind.OUTSIDE:
        return Q(debit__purpose="external") | Q(credit__purpose="external")
    if kind in _SUBJECTS:
        return Q(subject__startswith=_SUBJECTS[kind])
    if kind == LineKind.OWN:
        return Q(debit__kind="player", credit__kind="player")
    return Q()
