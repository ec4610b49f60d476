"""Pages of players and their money. Of a game they show only stake and result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ledger import selectors
from ledger.betting.models import Bet
from ledger.core.models import player_owner
from ledger.limits import terms
from ledger.limits.protection import Limit, protection
from ledger.limits.usage import of_player
from ledger.models import Account, GameStake, Hold, HoldState, OwnerKind, PlaySession, Purpose
from ledger.payouts.models import Freeze, Payout
from ledger.staff import wording
from ledger.staff.actions import VIEW_LEDGER
from staff import subjects
from staff.pages import page, render
from staff.subjects import Link

PAGE = 50
LATEST = 15

ORDER = (Purpose.CASH, Purpose.SESSION, Purpose.PAYABLE, Purpose.RECEIVABLE)
"""The order of a player's accounts; other purposes follow."""


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
        """What the player owes the site after reversals, in pence; zero or more."""
        return -sum(each.total for each in self.accounts if each.purpose == Purpose.RECEIVABLE)

    @property
    def _own(self) -> list[Account]:
        return [each for each in self.accounts if each.purpose != Purpose.RECEIVABLE]


@dataclass(frozen=True, slots=True)
class Listed:
    player: Any
    wallets: tuple[Wallet, ...]


def people() -> QuerySet[Any]:
    """Return all players except the site's bots."""
    return get_user_model().objects.filter(is_bot=False)


def listed(*, text: str = "", after: str = "", limit: int = PAGE) -> list[Listed]:
    """Return players by name after `after`, filtered by `text` in name or id."""
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
    """Return the wallets by player, the site's currency first. One query."""
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
    latest = GameStake.objects.filter(player=player).select_related("stake_table")
    return latest.order_by("-staked_at")[:LATEST]


def bets(player: UUID) -> QuerySet[Bet]:
    latest = Bet.objects.filter(player=player).select_related("market", "runner")
    return latest.order_by("-placed_at")[:LATEST]


def freezes(player: UUID, holds: Iterable[Hold]) -> QuerySet[Freeze]:
    """Return the open freezes on the player, and those that hold the player's money."""
    about = Q(player=player) | Q(money__hold__in=list(holds))
    return Freeze.objects.filter(about, released_at=None).distinct().order_by("-at")


def payouts(player: UUID) -> QuerySet[Payout]:
    return Payout.objects.filter(payee=player_owner(player)).order_by("-requested_at")[:LATEST]


def by_kind(limits: Iterable[Limit]) -> list[tuple[str, list[Limit]]]:
    """Return the limits of each kind, by growing period."""
    limit_of = {(limit.kind, limit.period): limit for limit in limits}
    return [
        (label, [limit_of[kind, period] for period in terms.LENGTHS]) for kind, label in terms.KINDS.items()
    ]


@dataclass(frozen=True, slots=True)
class Part:
    """A table under a heading. A cell with an address is a link."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Link]]
    empty: str


Tell = Callable[[UUID], Part]
_known: list[tuple[str, Tell]] = []


def player_part(permission: str) -> Callable[[Tell], Tell]:
    """Declare a function that returns a part of the page, for users with the permission."""

    def declare(tell: Tell) -> Tell:
        _known.append((permission, tell))
        return tell

    return declare


def parts(player: UUID, reader: Any) -> list[Part]:
    return [tell(player) for permission, tell in _known if reader.has_perm(permission)]


LINES = 25
SPANS = {"session": "Open session", "day": "Last day", "week": "Last week", "month": "Last month"}


@page("staff_players", "money/players/", permission=VIEW_LEDGER, listed="Players' money", place=20)
def player_list(request: HttpRequest) -> HttpResponse:
    text, after = (request.GET.get(name, "").replace("\x00", "")[:150] for name in ("q", "after"))
    found = listed(text=text, after=after)
    return render(
        request,
        "staff/players.html",
        title="Players' money",
        lead="Balances, holds, and debts of players.",
        players=found,
        text=text,
        after=after,
        more=found[-1].player.username if len(found) == PAGE else "",
    )


@page("staff_player", "money/players/<uuid:player_id>/", permission=VIEW_LEDGER)
def player_money(request: HttpRequest, player_id: UUID) -> HttpResponse:
    person = people().filter(pk=player_id).first()
    if person is None:
        raise Http404
    now = timezone.now()
    protected = protection(player_id, now)
    purses = wallets([player_id]).get(player_id, ())
    accounts = [account for wallet in purses for account in wallet.accounts]
    holds = list(open_holds(accounts))
    latest_stakes, latest_bets = list(stakes(player_id)), list(bets(player_id))
    frozen = list(freezes(player_id, holds))
    statement = _statement(request, accounts)
    about = [
        *(text for hold in holds for text in (hold.subject, hold.actor)),
        *(stake.subject for stake in latest_stakes),
        *(bet.market.subject for bet in latest_bets),
        *(line.subject for line in statement.get("lines", ())),
        *(freeze.subject for freeze in frozen),
    ]
    may = request.user.has_perm
    context: dict[str, Any] = {
        "player": person,
        "wallets": purses,
        "currency": settings.RACECARD_CURRENCY,
        "holds": holds,
        "sessions": sessions(player_id),
        "stakes": latest_stakes,
        "payouts": payouts(player_id),
        "freezes": frozen,
        "parts": parts(player_id, request.user),
        "may_protect": may("ledger.protect"),
        "bets": list(zip(latest_bets, wording.runners(latest_bets), strict=True)),
        "links": subjects.links(subject for subject in about if subject),
        "may_deposit": may("ledger.deposit"),
        "may_see_account": may("accounts.view_player"),
        "limits": by_kind(protected.limits),
        "stop": protected.stop,
        "reality": [
            (SPANS[span], each)
            for span, each in of_player(player=player_id, now=now)._asdict().items()
            if each
        ],
        **statement,
    }
    return render(request, "staff/player.html", title=f"{person.username}'s money", **context)


def _statement(request: HttpRequest, accounts: list[Account]) -> dict[str, Any]:
    """Return the newest lines of one account, or those before a line, in words.

    Raises Http404 for another player's account.
    """
    if not accounts:
        return {}
    wanted = request.GET.get("account", str(accounts[0].pk))
    chosen = next((each for each in accounts if str(each.pk) == wanted), None)
    before = request.GET.get("before", "")
    if chosen is None or (before and not (before.isdecimal() and before.isascii() and len(before) < 19)):
        raise Http404
    lines = selectors.statement(chosen, before=int(before) if before else None, limit=LINES)
    names = wording.names_of_texts({line.counterparty for line in lines})
    return {
        "accounts": accounts,
        "account": chosen,
        "lines": [
            replace(line, reason=wording.plain_reason(line.reason), counterparty=names[line.counterparty])
            for line in lines
        ],
        "older": lines[-1].position if len(lines) == LINES else None,
        "paged": bool(before),
        "transfers": reverse("admin:ledger_transfer_changelist"),
    }
