"""Disputes in the back office: the queue of those that may be known of; each has a page of its own."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from disputes import access
from disputes import alarms as alarms  # what the back office asks of disputes, said by importing it
from disputes.models import Dispute
from disputes.office import deeds as deeds  # pages, said by importing them
from disputes.office import evidence as evidence
from disputes.office import page as page
from disputes.office import ruling as ruling
from disputes.office.desk import Desk, page_of
from games.office.deeds import person
from ledger.office.pages import AUDIT, ListedTable, list_table


@admin.register(Dispute)
class DisputeAdmin(Desk):
    list_display = ("opened", "rules", "about", "status", "instance", "opener", "seat", "ended_at")
    list_display_links = None
    list_filter = ("status", "instance", "game__rules")
    search_fields = ("=id", "=game__id", "=game__tournament", "=opener__id")
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
        """Where other pages of the admin lead to."""
        dispute = self.get_object(request, object_id)
        if dispute is None:
            raise Http404
        return HttpResponseRedirect(page_of(dispute))


list_table(ListedTable("Disputes", "disputes_dispute_changelist", 10, "disputes.view_dispute", AUDIT))
