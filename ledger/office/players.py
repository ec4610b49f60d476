"""Players and their money, for those who may see the books. Of a game it tells only what was staked and won."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet

from ledger.betting.models import Bet
from ledger.limits import terms
from ledger.limits.selectors import Limit
from ledger.models import Account, GameStake, Hold, HoldState, OwnerKind, PlaySession, Purpose
from ledger.payouts.models import Freeze, Payout

PAGE = 50
LATEST = 15

ORDER = (Purpose.CASH, Purpose.SESSION, Purpose.PAYABLE, Purpose.RECEIVABLE)
"""In which the accounts of a player are listed; any other comes after them."""


@dataclass(frozen=True, slots=True)
class Wallet:
    """The accounts of a player in one currency."""

    currency: str
    accounts: tuple[Account, ...]

    @property
    def available(self) -> int:
        return sum(account.available for account in self._own)

    @property
    def held(self) -> int:
        return sum(account.held for account in self._own)

    @property
    def total(self) -> int:
        return sum(account.total for account in self._own)

    @property
    def owed(self) -> int:
        """What the player owes the house after reversals, in pence; zero or more."""
        return -sum(each.total for each in self.accounts if each.purpose == Purpose.RECEIVABLE)

    @property
    def _own(self) -> list[Account]:
        return [each for each in self.accounts if each.purpose != Purpose.RECEIVABLE]


@dataclass(frozen=True, slots=True)
class Listed:
    player: Any
    wallets: tuple[Wallet, ...]


def people() -> QuerySet[Any]:
    """All who have signed up; the house's bots have no purse."""
    return get_user_model().objects.filter(is_bot=False)


def listed(*, text: str = "", after: str = "", limit: int = PAGE) -> list[Listed]:
    """Players by name, those whose name or id holds `text`, behind the name `after`."""
    found = people().filter(username__gt=after) if after else people()
    for word in text.split():
        found = found.filter(
            Q(username__icontains=word) | Q(display_name__icontains=word) | Q(pk__in=_id(word))
        )
    page = list(found.order_by("username")[:limit])
    having = wallets([player.pk for player in page])
    return [Listed(player, having.get(player.pk, ())) for player in page]


def _id(word: str) -> list[UUID]:
    try:
        return [UUID(word)]
    except ValueError:
        return []


def wallets(players: Collection[UUID]) -> dict[UUID, tuple[Wallet, ...]]:
    """By player, the house's currency first; one query for all of them."""
    rows: dict[tuple[UUID, str], list[Account]] = {}
    for account in Account.objects.filter(kind=OwnerKind.PLAYER, key__in=[str(player) for player in players]):
        rows.setdefault((UUID(account.key), account.currency), []).append(account)
    made: dict[UUID, tuple[Wallet, ...]] = {}
    for player, currency in sorted(rows, key=lambda row: (row[1] != settings.RACECARD_CURRENCY, row[1])):
        wallet = Wallet(currency, tuple(sorted(rows[player, currency], key=_place)))
        made[player] = (*made.get(player, ()), wallet)
    return made


def _place(account: Account) -> tuple[int, str]:
    order = [each.value for each in ORDER]
    place = order.index(account.purpose) if account.purpose in order else len(order)
    return place, account.purpose


def open_holds(accounts: Iterable[Account]) -> QuerySet[Hold]:
    return (
        Hold.objects.filter(account__in=list(accounts), state=HoldState.HELD)
        .select_related("account")
        .order_by("-at", "pk")
    )


def sessions(player: UUID) -> QuerySet[PlaySession]:
    return PlaySession.objects.filter(player=player).order_by("-opened_at")[:LATEST]


def stakes(player: UUID) -> QuerySet[GameStake]:
    """By way of the sessions, which have an index for it."""
    latest = GameStake.objects.filter(session__player=player).select_related("stake_table")
    return latest.order_by("-staked_at")[:LATEST]


def bets(player: UUID) -> QuerySet[Bet]:
    latest = Bet.objects.filter(player=player).select_related("market", "runner")
    return latest.order_by("-placed_at")[:LATEST]


def freezes(player: UUID, holds: Iterable[Hold]) -> QuerySet[Freeze]:
    """Those about the player alone, and those that hold something of theirs, that are not released."""
    about = Q(player=player) | Q(money__hold__in=list(holds))
    return Freeze.objects.filter(about, released_at=None).distinct().order_by("-at")


def payouts(player: UUID) -> QuerySet[Payout]:
    return Payout.objects.filter(payee=f"{OwnerKind.PLAYER}:{player}").order_by("-requested_at")[:LATEST]


KINDS = {terms.DEPOSIT: "Paid in", terms.STAKE: "Staked", terms.LOSS: "Lost"}


def by_kind(limits: Iterable[Limit]) -> list[tuple[str, list[Limit]]]:
    """The limits of each kind, by growing period."""
    standing = {(limit.kind, limit.period): limit for limit in limits}
    return [(told, [standing[kind, period] for period in terms.LENGTHS]) for kind, told in KINDS.items()]
