"""Tournaments in the back office: listed, drafted by a form, moved on by commands with a reason and a preview.

What goes on in one of them is shown by the pages of its console (`tournaments.office`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from api.errors import Problem
from tournaments import access, formats, services
from tournaments import alarms as alarms  # what the back office asks of tournaments, said by importing it
from tournaments.formats import scoring, times
from tournaments.models import BASIS_POINTS, Tournament
from tournaments.office import by_hand as by_hand
from tournaments.office import console as console  # pages, said by importing them
from tournaments.office import field as field
from tournaments.office import pairs as pairs
from tournaments.office import people as people
from tournaments.office import rounds as rounds
from tournaments.office.desk import Desk, address
from tournaments.office.pages import person
from tournaments.terms import Terms


class TermsForm(forms.Form):
    name = forms.CharField(max_length=100)
    format = forms.ChoiceField(choices=[(known.slug, known.name) for known in formats.catalogue()])
    rules = forms.ChoiceField(choices=[(slug, slug) for slug in scoring.known()])
    config = forms.JSONField(initial={"draw": 3, "stake": 0}, help_text="The game's config, as JSON.")
    rounds = forms.IntegerField(min_value=1, initial=3)
    games = forms.IntegerField(min_value=1, initial=1, help_text="Deals a round.")
    opens_at = forms.CharField(
        required=False, help_text="Such as 2027-03-28 19:00, in the time zone; empty: you start it yourself."
    )
    time_zone = forms.CharField(
        required=False, max_length=64, help_text="IANA name, such as Europe/Berlin; empty: the house's own."
    )
    round_times = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A line for each round that opens at a time of its own: 2 2027-03-29 19:00.",
    )
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
    amounts = forms.CharField(
        required=False,
        help_text="Fixed prizes by place, in pence, such as 5000, 2000; the shares are of what they leave.",
    )
    guarantee = forms.IntegerField(
        min_value=0,
        required=False,
        help_text="In pence: the prizes come to that at least, and the house adds what is missing.",
    )
    # Names the draft: a form that is sent twice makes one tournament.
    key = forms.UUIDField(widget=forms.HiddenInput)

    def clean_opens_at(self) -> datetime | None:
        return _time(self.cleaned_data["opens_at"]) if self.cleaned_data["opens_at"] else None

    def clean_round_times(self) -> tuple[tuple[int, datetime], ...]:
        lines = [
            line.partition(" ") for line in self.cleaned_data["round_times"].splitlines() if line.strip()
        ]
        return tuple((_numbers(number)[0], _time(time)) for number, _, time in lines)

    def clean_prizes(self) -> tuple[int, ...]:
        return _numbers(self.cleaned_data["prizes"])

    def clean_amounts(self) -> tuple[int, ...]:
        return _numbers(self.cleaned_data["amounts"]) if self.cleaned_data["amounts"] else ()

    def clean_guarantee(self) -> int:
        return self.cleaned_data["guarantee"] or 0

    def terms(self) -> Terms:
        given = {name: value for name, value in self.cleaned_data.items() if name != "key"}
        return Terms(**given, currency=settings.RACECARD_CURRENCY)


def _time(text: str) -> datetime:
    try:
        return times.parse(text)
    except times.BadTime as error:
        raise forms.ValidationError(f"{error}.") from None


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise forms.ValidationError("Whole numbers with commas between them.") from None


@admin.register(Tournament)
class TournamentAdmin(Desk):
    list_display = (
        "named", "status", "runs_by_itself", "format", "rules", "entered", "capacity", "fee", "opens_at",
        "organizer",
    )  # fmt: skip
    list_display_links = None
    list_filter = ("status", "format", "rules")
    search_fields = ("=id", "name")
    list_per_page = 50
    change_form_template = "tournaments/admin/tournament.html"
    readonly_fields = fields = (
        "id", "name", "status", "stalled", "paused", "organizer", "format", "rules", "rules_version", "config",
        "rounds", "games", "late_until", "capacity", "fewest", "fill_to", "opens_at", "time_zone", "round_seconds",
        "round_times",
        "gap_seconds", "no_show_seconds", "check_in_seconds", "currency", "fee", "prizes", "rake", "commitment",
        "entropy", "created_at", "published_at", "started_at", "ended_at",
    )  # fmt: skip

    # --- what is shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        standing = Count("entries", filter=Q(entries__withdrawn_at=None))
        return access.visible_tournaments(person(request)).annotate(standing=standing)

    @admin.display(description="name", ordering="name")
    def named(self, tournament: Tournament) -> SafeString:
        return format_html('<a href="{}">{}</a>', _console(tournament), tournament.name)

    @admin.display(description="entries", ordering="standing")
    def entered(self, tournament: Tournament) -> int:
        count: int = tournament.standing  # type: ignore[attr-defined]
        return count

    @admin.display(description="runs by itself", boolean=True)
    def runs_by_itself(self, tournament: Tournament) -> bool:
        return not tournament.stalled

    # --- who may

    def has_add_permission(self, request: HttpRequest) -> bool:
        try:
            access.require_organizer(person(request))
        except Problem:
            return False
        return True

    # --- what is done

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TermsForm(request.POST) if request.method == "POST" else TermsForm(initial={"key": uuid4()})
        if request.method == "POST" and form.is_valid():
            try:
                return self._drafted(request, self._create(request, form))
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
        made = Tournament.objects.filter(pk=key, organizer=person(request)).first()
        return made or services.create(
            organizer=person(request), terms=form.terms(), tournament_id=key, now=timezone.now()
        )

    def _drafted(self, request: HttpRequest, tournament: Tournament) -> HttpResponse:
        self.message_user(request, f"{tournament.name} is drafted.", messages.SUCCESS)
        return HttpResponseRedirect(_console(tournament))


def _console(tournament: Tournament) -> str:
    return address("tournament_console", tournament)
