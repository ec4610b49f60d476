"""Admin of disputes: the queue, their links and names on staff pages, and the alarm on overdue disputes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.staff import person
from disputes import access, states
from disputes.models import Dispute
from disputes.staff import dispute as dispute  # these modules register their pages
from disputes.staff import evidence as evidence
from disputes.staff.actions import ACTIONS, page_of
from staff import subjects
from staff.admin import ActionAdmin
from staff.dashboard import MOST_NAMED, Alarm, CountCard, register_alarms, register_cards
from staff.pages import AUDIT, ListedTable, list_table


@admin.register(Dispute)
class DisputeAdmin(ActionAdmin):
    staff_actions = ACTIONS
    list_display = ("opened", "rules", "about", "status", "instance", "opener", "seat", "ended_at")
    list_display_links = None
    list_filter = ("status",)
    search_fields = ("=id", "=game", "=game__tournament", "=opener")
    ordering = ("-opened_at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Dispute]:
        return access.visible_disputes(person(request))

    @admin.display(description="opened", ordering="opened_at")
    def opened(self, dispute: Dispute) -> SafeString:
        return format_html('<a href="{}">{}</a>', page_of(dispute), f"{dispute.opened_at:%d %b %Y %H:%M}")

    @admin.display(description="rules", ordering="game__rules")
    def rules(self, dispute: Dispute) -> str:
        return dispute.game.rules

    @admin.display(description="game")
    def about(self, dispute: Dispute) -> SafeString:
        address = reverse("admin:games_gamerecord_change", args=[dispute.game_id])
        return format_html('<a href="{}">{}</a>', address, str(dispute.game_id)[:8])

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """Redirect links of the admin to the page of the dispute."""
        dispute = self.get_object(request, object_id)
        if dispute is None:
            raise Http404
        return HttpResponseRedirect(page_of(dispute))


list_table(ListedTable("Disputes", "disputes_dispute_changelist", 10, "disputes.view_dispute", AUDIT))


DECISION_PERIOD = timedelta(days=2)
PERMISSION = "disputes.view_dispute"


subjects.register(
    "dispute",
    view="admin:dispute_page",
    names=subjects.names_of(Dispute, text=lambda key, pk: f"Dispute {key[:8]}"),
)


@register_alarms(40)
def overdue_disputes(now: datetime) -> Iterator[Alarm]:
    """Yield an alarm if disputes have been open for more than two days."""
    waiting = Dispute.objects.filter(status__in=states.PENDING, opened_at__lt=now - DECISION_PERIOD)
    found = list(waiting.order_by("opened_at").values_list("pk", "opened_at")[:MOST_NAMED])
    if found:
        oldest = f"The oldest was opened on {found[0][1]:%d %b %H:%M}."
        address = reverse("admin:disputes_dispute_changelist")
        yield Alarm(f"Disputes open for more than two days: {len(found)}", oldest, address, PERMISSION)


register_cards(
    30,
    CountCard(
        "Disputes to rule on",
        Dispute,
        lambda now: Q(status__in=["open", "appealed"]),
        {"status__in": "open,appealed"},
    ),
    CountCard("Rulings to approve", Dispute, lambda now: Q(status="proposed"), {"status__exact": "proposed"}),
)
