"""A player's money on one page: what is there, held and owed, why, what was played, and what the player asked for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ledger import selectors
from ledger.limits.reality import of_player
from ledger.limits.selectors import protection
from ledger.models import Account
from ledger.office import players, subjects
from ledger.office.pages import page, render
from ledger.office.parts import parts

LINES = 25
SPANS = {"session": "The session that is open", "day": "A day", "week": "A week", "month": "A month"}


@page("office_players", "money/players/", listed="Players' money", place=20)
def player_list(request: HttpRequest) -> HttpResponse:
    text, after = (request.GET.get(name, "").replace("\x00", "")[:150] for name in ("q", "after"))
    found = players.listed(text=text, after=after)
    return render(
        request,
        "office/players.html",
        title="Players' money",
        lead="Who has how much, what of it is held, and who owes the house.",
        players=found,
        text=text,
        after=after,
        more=found[-1].player.username if len(found) == players.PAGE else "",
    )


@page("office_player", "money/players/<uuid:player_id>/")
def player_money(request: HttpRequest, player_id: UUID) -> HttpResponse:
    person = players.people().filter(pk=player_id).first()
    if person is None:
        raise Http404
    now = timezone.now()
    protected = protection(player_id, now)
    wallets = players.wallets([player_id]).get(player_id, ())
    accounts = [account for wallet in wallets for account in wallet.accounts]
    holds = list(players.open_holds(accounts))
    stakes, bets = list(players.stakes(player_id)), list(players.bets(player_id))
    frozen = list(players.freezes(player_id, holds))
    statement = _statement(request, accounts)
    about = [
        *(hold.subject for hold in holds),
        *(stake.subject for stake in stakes),
        *(bet.market.subject for bet in bets),
        *(line.subject for line in statement.get("lines", ())),
        *(freeze.subject for freeze in frozen),
    ]
    may = request.user.has_perm
    context: dict[str, Any] = {
        "player": person,
        "wallets": wallets,
        "currency": settings.RACECARD_CURRENCY,
        "holds": holds,
        "sessions": players.sessions(player_id),
        "stakes": stakes,
        "payouts": players.payouts(player_id),
        "freezes": frozen,
        "parts": parts(player_id, request.user),
        "may_protect": may("ledger.protect"),
        "bets": bets,
        "links": subjects.links(subject for subject in about if subject),
        "may_deposit": may("ledger.deposit"),
        "may_see_account": may("accounts.view_player"),
        "limits": players.by_kind(protected.limits),
        "stop": protected.stop,
        "reality": [
            (SPANS[span], each) for span, each in of_player(player=player_id, now=now).items() if each
        ],
        **statement,
    }
    return render(request, "office/player.html", title=f"{person.username}'s money", **context)


def _statement(request: HttpRequest, accounts: list[Account]) -> dict[str, Any]:
    """The newest lines of one account, or those before a line. Raises Http404 for an account that is not theirs."""
    if not accounts:
        return {}
    wanted = request.GET.get("account", str(accounts[0].pk))
    chosen = next((each for each in accounts if str(each.pk) == wanted), None)
    before = request.GET.get("before", "")
    if chosen is None or (before and not (before.isdecimal() and before.isascii() and len(before) < 19)):
        raise Http404
    lines = selectors.statement(chosen, before=int(before) if before else None, limit=LINES)
    return {
        "accounts": accounts,
        "account": chosen,
        "lines": lines,
        "older": lines[-1].position if len(lines) == LINES else None,
        "paged": bool(before),
        "transfers": reverse("admin:ledger_transfer_changelist"),
    }
