"""Tournaments in the back office: read, drafted by a form, moved on by commands with a reason and a confirmation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.services import record_action
from api.errors import Problem
from tournaments import alarms as alarms  # what the back office asks of tournaments, said by importing it
from tournaments import formats, money, selectors, services
from tournaments.formats import scoring
from tournaments.models import BASIS_POINTS, Status, Tournament
from tournaments.terms import Terms

LOOK_AGAIN = 5
"""Seconds after which the page of a running tournament is asked for again."""


@dataclass(frozen=True, slots=True)
class Command:
    title: str
    explained: str
    carry_out: Callable[[Tournament, Player, str, datetime], object]


COMMANDS = {
    "publish": Command(
        "Publish",
        "A seed is drawn and committed to, and players can enter. The terms cannot be changed any more.",
        lambda tournament, by, reason, now: services.publish(tournament_id=tournament.pk, actor=by, now=now),
    ),
    "start": Command(
        "Start",
        "Entries close, bots fill the field as agreed, and the first round is opened.",
        lambda tournament, by, reason, now: services.start(tournament_id=tournament.pk, actor=by, now=now),
    ),
    "cancel": Command(
        "Cancel",
        "Every fee is given back, games still being played are voided, and the seed is shown. For good.",
        lambda tournament, by, reason, now: services.cancel(
            tournament_id=tournament.pk, actor=by, reason=reason, now=now
        ),
    ),
    "pause": Command(
        "Pause",
        "No further round is opened, and no prize paid, until it is resumed. A round that runs is played to its end.",
        lambda tournament, by, reason, now: services.pause(
            tournament_id=tournament.pk, actor=by, reason=reason, now=now
        ),
    ),
    "resume": Command(
        "Resume",
        "A pause ends; the step that failed is tried again.",
        lambda tournament, by, reason, now: services.resume(tournament_id=tournament.pk, actor=by, now=now),
    ),
}


class ReasonForm(forms.Form):
    reason = forms.CharField(min_length=3, max_length=200)


class TermsForm(forms.Form):
    name = forms.CharField(max_length=100)
    format = forms.ChoiceField(choices=[(known.slug, known.name) for known in formats.catalogue()])
    rules = forms.ChoiceField(choices=[(slug, slug) for slug in scoring.known()])
    config = forms.JSONField(initial={"draw": 3, "stake": 0}, help_text="The game's config, as JSON.")
    rounds = forms.IntegerField(min_value=1, initial=3)
    games = forms.IntegerField(min_value=1, initial=1, help_text="Deals a round.")
    opens_at = forms.DateTimeField(required=False, help_text="UTC; empty: you start it yourself.")
    round_seconds = forms.IntegerField(min_value=1, initial=3600)
    gap_seconds = forms.IntegerField(min_value=0, initial=0, help_text="Between two rounds.")
    no_show_seconds = forms.IntegerField(
        min_value=0,
        initial=0,
        help_text="Who has not moved when a game has waited so long forfeits; 0: nobody.",
    )
    check_in_seconds = forms.IntegerField(
        min_value=0,
        initial=0,
        help_text="Before the start, in which entrants must check in; 0: they need not.",
    )
    late_until = forms.IntegerField(
        min_value=0, initial=0, help_text="The last round that can be entered late (Swiss); 0: none."
    )
    capacity = forms.IntegerField(min_value=2, initial=100)
    fewest = forms.IntegerField(min_value=2, initial=2)
    fill_to = forms.IntegerField(
        min_value=0, initial=0, help_text="Bots enter at the start until there are so many."
    )
    fee = forms.IntegerField(min_value=0, initial=0, help_text="In pence.")
    prizes = forms.CharField(
        initial="5000, 3000, 2000", help_text=f"Basis points by place, {BASIS_POINTS} together."
    )
    rake = forms.IntegerField(min_value=0, initial=0, help_text="Basis points of the fees, to the house.")
    # Names the draft: a form that is sent twice makes one tournament.
    key = forms.UUIDField(widget=forms.HiddenInput)

    def clean_prizes(self) -> tuple[int, ...]:
        try:
            return tuple(int(share) for share in self.cleaned_data["prizes"].split(","))
        except ValueError:
            raise forms.ValidationError("Whole numbers with commas between them.") from None

    def terms(self) -> Terms:
        given = {name: value for name, value in self.cleaned_data.items() if name != "key"}
        return Terms(**given, currency=settings.RACECARD_CURRENCY)


def _person(request: HttpRequest) -> Player:
    assert isinstance(request.user, Player)
    return request.user


@admin.register(Tournament)
class TournamentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django's own is not subscriptable
    list_display = (
        "name", "status", "needs_organizer", "format", "rules", "entered", "capacity", "fee", "opens_at",
        "organizer",
    )  # fmt: skip
    list_filter = ("status", "format", "rules")
    search_fields = ("=id", "name")
    show_full_result_count = False
    list_per_page = 50
    actions = ("publish", "start", "cancel", "pause", "resume")
    change_form_template = "tournaments/admin/tournament.html"
    readonly_fields = fields = (
        "id", "name", "status", "stalled", "paused", "organizer", "format", "rules", "rules_version", "config",
        "rounds", "games", "late_until", "capacity", "fewest", "fill_to", "opens_at", "round_seconds",
        "gap_seconds", "no_show_seconds", "check_in_seconds", "currency", "fee", "prizes", "rake", "commitment",
        "entropy", "created_at", "published_at", "started_at", "ended_at",
    )  # fmt: skip

    # --- what is shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        standing = Count("entries", filter=Q(entries__withdrawn_at=None))
        return selectors.visible_tournaments(_person(request)).annotate(standing=standing)

    @admin.display(description="entries", ordering="standing")
    def entered(self, tournament: Tournament) -> int:
        count: int = tournament.standing  # type: ignore[attr-defined]
        return count

    @admin.display(description="runs by itself", boolean=True)
    def needs_organizer(self, tournament: Tournament) -> bool:
        return not tournament.stalled

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        tournament = self.get_object(request, object_id)
        shown = {} if tournament is None else self._progress(request, tournament)
        response = super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})
        if tournament is not None and tournament.status == Status.RUNNING:
            response["Refresh"] = str(LOOK_AGAIN)
        return response

    def _progress(self, request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
        return {
            "rounds": selectors.rounds(tournament),
            "standings": selectors.standings(tournament, _person(request)),
            "pool": money.pool(tournament),
            "show_close": True,
        }

    # --- who may

    def has_add_permission(self, request: HttpRequest) -> bool:
        try:
            selectors.require_organizer(_person(request))
        except Problem:
            return False
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    # --- what is done

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TermsForm(request.POST) if request.method == "POST" else TermsForm(initial={"key": uuid4()})
        if request.method == "POST" and form.is_valid():
            try:
                return self._created(request, self._create(request, form))
            except Problem as problem:
                form.add_error(None, problem.detail)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Draft a tournament",
            "form": form,
        }
        return TemplateResponse(request, "tournaments/admin/draft.html", context)

    def _create(self, request: HttpRequest, form: TermsForm) -> Tournament:
        key: UUID = form.cleaned_data["key"]
        made = Tournament.objects.filter(pk=key, organizer=_person(request)).first()
        return made or services.create(
            organizer=_person(request), terms=form.terms(), tournament_id=key, now=timezone.now()
        )

    def _created(self, request: HttpRequest, tournament: Tournament) -> HttpResponse:
        self.message_user(request, f"{tournament.name} is drafted.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:tournaments_tournament_change", args=[tournament.pk]))

    @admin.action(description="Publish the selected drafts")
    def publish(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> HttpResponse | None:
        return self._command(request, chosen, "publish")

    @admin.action(description="Start the selected tournaments")
    def start(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> HttpResponse | None:
        return self._command(request, chosen, "start")

    @admin.action(description="Cancel the selected tournaments")
    def cancel(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> HttpResponse | None:
        return self._command(request, chosen, "cancel")

    @admin.action(description="Pause the selected tournaments")
    def pause(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> HttpResponse | None:
        return self._command(request, chosen, "pause")

    @admin.action(description="Resume the selected tournaments")
    def resume(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> HttpResponse | None:
        return self._command(request, chosen, "resume")

    def _command(self, request: HttpRequest, chosen: QuerySet[Tournament], name: str) -> HttpResponse | None:
        """Ask for a reason, then do it to each that this member of staff manages; what is refused is told."""
        command = COMMANDS[name]
        tournaments = list(chosen)
        confirmed = "confirmed" in request.POST
        form = ReasonForm(request.POST) if confirmed else ReasonForm()
        if confirmed and form.is_valid():
            for tournament in tournaments:
                self._carry_out(request, tournament, name, form.cleaned_data["reason"])
            return None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"{command.title}: are you sure?",
            "command": command,
            "name": name,
            "tournaments": tournaments,
            "checkbox": ACTION_CHECKBOX_NAME,
            "form": form,
        }
        return TemplateResponse(request, "tournaments/admin/confirm.html", context)

    def _carry_out(self, request: HttpRequest, tournament: Tournament, name: str, reason: str) -> None:
        person, now = _person(request), timezone.now()
        try:
            selectors.managed(person, tournament.pk)
            COMMANDS[name].carry_out(tournament, person, reason, now)
        except Problem as problem:
            self.message_user(request, f"{tournament.name}: {problem.detail}", messages.ERROR)
            return
        record_action(
            actor=person, action=f"{name}-tournament", subject=tournament.subject, at=now, reason=reason
        )
        self.message_user(request, f"{tournament.name}: {name} done.", messages.SUCCESS)
