"""The pages that are of no single table. Each reads, asks for its permission, and shows; nothing is done here."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from ledger.betting.models import Market
from ledger.office import markets, subjects
from ledger.office.alarms import alarms, shown_to
from ledger.office.banks import banks
from ledger.office.pages import page, render
from ledger.selectors import currencies, trial_balance


@page("office_banks", "money/banks/", listed="Banks and markets", place=10)
def bank_overview(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    lines, trials = banks(now=now), [trial_balance(currency) for currency in currencies()]
    listed = markets.under_way(before=_market(request.GET.get("before", "")))
    return render(
        request,
        "office/banks.html",
        title="Banks and markets",
        lead="What the house has, what it may have to pay, and what it won. As of now.",
        banks=lines,
        trials=trials,
        alarms=shown_to(request.user, alarms(now=now, lines=lines, trials=trials)),
        market_totals=markets.totals(),
        markets=listed,
        links=subjects.links(line.market.subject for line in listed),
        older=listed[-1].market.pk if len(listed) == markets.PAGE else None,
    )


def _market(text: str) -> Market | None:
    """Raises Http404 for what names no market."""
    if not text:
        return None
    try:
        return Market.objects.get(pk=UUID(text))
    except (ValueError, Market.DoesNotExist) as error:
        raise Http404 from error
