"""Staff actions for manual pairings and pairing constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from games.staff.actions import person
from staff.actions import FormData, Preview, ReasonForm
from tournaments import formats, record
from tournaments.errors import InvalidManualPairing
from tournaments.formats import checker, pairing_review
from tournaments.formats.constraints import APART, TOGETHER
from tournaments.formats.protocol import Pairing
from tournaments.models import Status, Tournament
from tournaments.rounds import manual_pairing
from tournaments.staff.actions import (
    ActionAdmin,
    StaffAction,
    action_page,
    address,
    rehearsed,
    require_unchanged,
)


class NumbersField(forms.CharField):
    """Entry numbers with spaces or commas between them."""

    def clean(self, value: str) -> list[int]:
        words = str(super().clean(value) or "").replace(",", " ").split()
        if not all(word.isdecimal() and word.isascii() and len(word) < 8 for word in words):
            raise forms.ValidationError("Enter entry numbers with spaces between them.")
        return [int(word) for word in words]


class ScoresField(forms.CharField):
    """Measures by entry: one line each, the entry first, with spaces between the numbers."""

    widget = forms.Textarea

    def __init__(self, *, rows: int) -> None:
        super().__init__(
            required=False,
            max_length=2_000,
            help_text="One line for each: the entry, then its measures, with spaces between them.",
        )
        self.widget.attrs.update({"rows": rows, "spellcheck": "false"})

    def clean(self, value: str) -> dict[int, tuple[int, ...]]:
        lines = [line.replace(":", " ").split() for line in str(super().clean(value) or "").splitlines()]
        try:
            rows = [[int(word) for word in line] for line in lines if line]
        except ValueError:
            raise forms.ValidationError("Enter whole numbers with spaces between them.") from None
        scores = {entry: tuple(score) for entry, *score in rows}
        if len(scores) != len(rows):
            raise forms.ValidationError("Name each entry once.")
        return scores


class LayoutForm(ReasonForm):
    tables = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text="One line for each table: entries from seat 0, with spaces between them. Initially the engine's.",
        max_length=100_000,
    )
    byes = NumbersField(required=False, help_text="Entries with a bye.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    field_order = ("tables", "byes", "reason")

    def clean_tables(self) -> list[list[int]]:
        numbers = NumbersField()
        return [numbers.clean(line) for line in self.cleaned_data["tables"].splitlines() if line.strip()]


def takes_manual_pairing(tournament: Tournament) -> bool:
    """Return whether the next round can be paired manually now."""
    if tournament.status != Status.RUNNING or record.is_played_out(tournament):
        return False
    state = record.load(tournament.pk)
    begun = tournament.played_rounds.filter(number=state.closed + 1).exists()
    return not begun and formats.get(tournament.format).takes_manual_pairings(state.snapshot())


@action_page("tournament_pair_manually", "rounds/next/")
def lay_out_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    number = record.load(tournament.pk).closed + 1

    def layout(given: FormData) -> dict[str, Any]:
        return {
            "tournament_id": tournament.pk,
            "number": number,
            "tables": given["tables"],
            "byes": given["byes"],
            "actor": person(request),
        }

    def preview(given: FormData) -> Preview:
        seen = manual_pairing.preview(**layout(given))
        if seen.faults:
            raise InvalidManualPairing(f"{'; '.join(seen.faults)}.", faults=list(seen.faults))
        return Preview(facts=list(_facts(seen)), warnings=[f"{one.message}." for one in seen.cautions])

    def lay_out(given: FormData, now: datetime) -> None:
        require_unchanged(tournament, given)
        seen = manual_pairing.preview(**layout(given))
        manual_pairing.pair_manually(**layout(given), token=seen.token or "", reason=given["reason"], now=now)

    action = StaffAction(
        title=f"Pair round {number} of {tournament.name} manually",
        action="lay-out-round",
        carry_out=lay_out,
        said=f"Round {number} is paired and opens with these tables.",
        back=address("tournament_rounds", tournament),
        lead="The events record it with its warnings and the engine's pairing.",
        button="Record pairing",
        preview=preview,
    )
    return model_admin.do(
        request,
        tournament,
        action,
        form_class=LayoutForm,
        initial={**_first(tournament, number), "version": record.head(tournament).version},
    )


@action_page("tournament_drop_pairing", "rounds/next/give-back/")
def give_back_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    number = record.load(tournament.pk).closed + 1
    action = StaffAction(
        title=f"Drop the manual pairing of round {number} of {tournament.name}",
        action="give-round-back",
        carry_out=lambda given, now: manual_pairing.drop_pairing(
            tournament_id=tournament.pk, number=number, actor=person(request), now=now
        ),
        said=f"The engine pairs round {number}.",
        back=address("tournament_rounds", tournament),
        button="Drop pairing",
    )
    return model_admin.do(request, tournament, action)


def _first(tournament: Tournament, number: int) -> dict[str, str]:
    """Return the initial pairing of the form: the recorded one, or the engine's."""
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    found = manual_pairing.recorded_pairing(state, number)
    if found is None and takes_manual_pairing(tournament):
        found = pairing_review.of_the_engine(form, checker.before(state.snapshot(), number), number)
    if found is None:
        return {}
    return {"tables": "\n".join(_tables(found)), "byes": _numbers(found.byes)}


def _tables(pairing: Pairing) -> list[str]:
    return [_numbers(table.seats) for table in pairing.tables]


def _numbers(entries: Iterable[int]) -> str:
    return " ".join(str(entry) for entry in entries)


def _facts(seen: manual_pairing.Preview) -> Iterable[tuple[str, str]]:
    yield "Tables", f"{len(seen.pairing.tables)}: {' | '.join(_tables(seen.pairing))}"
    yield "Byes", _numbers(seen.pairing.byes) or "none"
    if seen.engine is None or seen.comparison is None:
        yield "The engine", "finds no pairing"
        return
    yield "The engine", " | ".join(_tables(seen.engine))
    yield "Equal tables", str(seen.comparison.same_tables)
    met = [f"{one} and {other}" for one, other in seen.comparison.pairs_only_manual]
    missed = [f"{one} and {other}" for one, other in seen.comparison.pairs_only_engine]
    yield "Meet only here", ", ".join(met) or "none"
    yield "Meet only in the engine's pairing", ", ".join(missed) or "none"


# --- pairing constraints -----------------------------------------------------------------------------


CONSTRAINTS = {APART: "Keep apart", TOGETHER: "Must meet in the next round"}


class PairForm(ReasonForm):
    constraint = forms.ChoiceField(choices=list(CONSTRAINTS.items()), label="Constraint")
    one = forms.IntegerField(min_value=1, label="Entry")
    other = forms.IntegerField(min_value=1, label="Other entry")
    field_order = ("one", "other", "constraint", "reason")

    def clean(self) -> FormData:
        given = super().clean() or {}
        if given.get("one") and given.get("one") == given.get("other"):
            raise forms.ValidationError("Two different entries are needed.")
        return given


def takes_constraints(tournament: Tournament) -> bool:
    return formats.get(tournament.format).takes_constraints(record.load(tournament.pk).snapshot())


@action_page("tournament_pair_say", "pairs/")
def say_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    def say(given: FormData, now: datetime) -> None:
        said: Callable[..., None] = (
            manual_pairing.keep_apart if given["constraint"] == APART else manual_pairing.bring_together
        )
        said(**_about(request, tournament, given, now))

    return model_admin.do(
        request,
        tournament,
        StaffAction(
            title=f"Add a pairing constraint in {tournament.name}",
            action="say-of-pair",
            carry_out=say,
            said="The constraint applies to future rounds.",
            back=address("tournament_rounds", tournament),
            lead="Entrants kept apart meet only if no other pairing exists. Entrants brought together meet in the "
            "next round, regardless of the others. The reason is public.",
            button="Add constraint",
            preview=lambda given: _preview(tournament, given, say),
        ),
        form_class=PairForm,
    )


@action_page("tournament_pair_release", "pairs/release/")
def release_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    def release(given: FormData, now: datetime) -> None:
        manual_pairing.release(what=given["constraint"], **_about(request, tournament, given, now))

    asked = {name: request.GET.get(name, "") for name in ("one", "other", "constraint")}
    return model_admin.do(
        request,
        tournament,
        StaffAction(
            title=f"Release a pairing constraint in {tournament.name}",
            action="release-pair",
            carry_out=release,
            said="The constraint was released.",
            back=address("tournament_rounds", tournament),
            button="Release",
            preview=lambda given: _preview(tournament, given, release),
        ),
        form_class=PairForm,
        initial=asked,
    )


def _about(request: HttpRequest, tournament: Tournament, given: FormData, now: datetime) -> FormData:
    return {
        "tournament_id": tournament.pk,
        "entries": [given["one"], given["other"]],
        "actor": person(request),
        "reason": given["reason"],
        "now": now,
    }


def _preview(
    tournament: Tournament, given: FormData, action: Callable[[FormData, datetime], None]
) -> Preview:
    """Return the entrants, after checking that the action would not be refused."""
    rehearsed(tournament, lambda: action(given, timezone.now()))
    numbers = (given["one"], given["other"])
    named = tournament.entries.filter(number__in=numbers).select_related("player").order_by("number")
    facts = [(f"Entry {entry.number}", entry.player.get_full_name()) for entry in named]
    return Preview(facts=[*facts, ("Constraint", CONSTRAINTS[given["constraint"]])])
