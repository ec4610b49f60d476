"""Which subjects, such as game:…, still have money to settle."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F

from ledger.betting.models import ENDED, Market
from ledger.core.models import Account
from ledger.payouts.models import Freeze
from ledger.stakes.models import GameStake, Pot, PotStatus, StakeStatus


def unsettled(subjects: Collection[str]) -> set[str]:
    """Return those of the subjects with an open market, stake, or pot, a freeze, or money in an account of theirs.

    A subject is of the form kind:id.
    """
    named = set(subjects)
    ids = {subject.partition(":")[2]: subject for subject in named}
    open_markets = Market.objects.filter(subject__in=named).exclude(status__in=ENDED)
    open_pots = Pot.objects.filter(subject__in=named, status=PotStatus.OPEN)
    freezes = Freeze.objects.filter(subject__in=named, released_at=None)
    found = {
        *open_markets.values_list("subject", flat=True),
        *open_pots.values_list("subject", flat=True),
        *freezes.values_list("subject", flat=True),
    }
    stakes = GameStake.objects.filter(game__in=ids, status=StakeStatus.OPEN).values_list("game", flat=True)
    found |= {ids[str(game)] for game in stakes}
    kinds = {subject.partition(":")[0] for subject in named}
    accounts = Account.objects.filter(kind__in=kinds, key__in=ids).exclude(credits=F("debits"))
    with_money = {f"{kind}:{key}" for kind, key in accounts.values_list("kind", "key")}
    return found | (named & with_money)
