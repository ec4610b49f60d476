"""What is asked for of two entrants before a round is laid out: that they do not meet, or that they must."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from api.deeds import Given, Preview, ReasonForm
from games.office.deeds import person
from tournaments import formats, record, wishes
from tournaments.formats.wishes import APART, TOGETHER
from tournaments.models import Tournament
from tournaments.office.desk import Deed, Desk, address, deed_page, rehearsed

WISHES = {APART: "are kept apart", TOGETHER: "meet in the next round"}


class PairForm(ReasonForm):
    wish = forms.ChoiceField(choices=list(WISHES.items()), label="they")
    one = forms.IntegerField(min_value=1, label="Entry")
    other = forms.IntegerField(min_value=1, label="and entry")
    field_order = ("one", "other", "wish", "reason")

    def clean(self) -> Given:
        given = super().clean() or {}
        if given.get("one") and given.get("one") == given.get("other"):
            raise forms.ValidationError("Two different entries are needed.")
        return given


def heeds_wishes(tournament: Tournament) -> bool:
    return formats.get(tournament.format).heeds_wishes(record.load(tournament.pk).snapshot())


@deed_page("tournament_pair_say", "pairs/")
def say_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    def say(given: Given, now: datetime) -> None:
        said: Callable[..., None] = wishes.keep_apart if given["wish"] == APART else wishes.bring_together
        said(**_about(request, tournament, given, now))

    return desk.do(
        request,
        tournament,
        Deed(
            title=f"Of two entrants in {tournament.name}",
            action="say-of-pair",
            carry_out=say,
            said="It holds for the rounds to come.",
            back=address("tournament_rounds", tournament),
            lead="Who is kept apart meets only if a round cannot be laid out otherwise; who is brought together meets "
            "in the next round, whatever it costs the others. The reason is public.",
            button="Say so",
            preview=lambda given: _preview(tournament, given, say),
        ),
        form_class=PairForm,
    )


@deed_page("tournament_pair_release", "pairs/release/")
def release_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    def release(given: Given, now: datetime) -> None:
        wishes.release(what=given["wish"], **_about(request, tournament, given, now))

    asked = {name: request.GET.get(name, "") for name in ("one", "other", "wish")}
    return desk.do(
        request,
        tournament,
        Deed(
            title=f"Take back what was said of two entrants in {tournament.name}",
            action="release-pair",
            carry_out=release,
            said="It holds for no round to come.",
            back=address("tournament_rounds", tournament),
            button="Take it back",
            preview=lambda given: _preview(tournament, given, release),
        ),
        form_class=PairForm,
        initial=asked,
    )


def _about(request: HttpRequest, tournament: Tournament, given: Given, now: datetime) -> Given:
    return {
        "tournament_id": tournament.pk,
        "entries": [given["one"], given["other"]],
        "actor": person(request),
        "reason": given["reason"],
        "now": now,
    }


def _preview(tournament: Tournament, given: Given, deed: Callable[[Given, datetime], None]) -> Preview:
    """Whether it would be refused, and whom it is about."""
    rehearsed(tournament, lambda: deed(given, timezone.now()))
    numbers = (given["one"], given["other"])
    named = tournament.entries.filter(number__in=numbers).select_related("player").order_by("number")
    facts = [(f"Entry {entry.number}", entry.player.get_full_name()) for entry in named]
    return Preview(facts=[*facts, ("They", WISHES[given["wish"]])])
