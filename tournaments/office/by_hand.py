"""The next round, laid out by the organizer instead of the engine."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse

from api.deeds import Given, Preview, ReasonForm
from games.office.deeds import person
from tournaments import by_hand, formats, record
from tournaments.formats import checker, layouts
from tournaments.formats.protocol import Pairing
from tournaments.models import Status, Tournament
from tournaments.office.desk import Deed, Desk, address, deed_page, require_unchanged
from tournaments.problems import FaultyLayout


class NumbersField(forms.CharField):
    """Entries, with blanks or commas between them."""

    def clean(self, value: str) -> list[int]:
        words = str(super().clean(value) or "").replace(",", " ").split()
        if not all(word.isdecimal() and word.isascii() and len(word) < 8 for word in words):
            raise forms.ValidationError("Numbers of entries are needed, with blanks between them.")
        return [int(word) for word in words]


class ScoresField(forms.CharField):
    """Whole measures by entry, each entry once: a line for each, the entry first, with blanks between them."""

    widget = forms.Textarea

    def __init__(self, *, rows: int) -> None:
        super().__init__(
            required=False,
            max_length=2_000,
            help_text="A line for each: the entry, then its measures, with blanks between them.",
        )
        self.widget.attrs.update({"rows": rows, "spellcheck": "false"})

    def clean(self, value: str) -> dict[int, tuple[int, ...]]:
        lines = [line.replace(":", " ").split() for line in str(super().clean(value) or "").splitlines()]
        try:
            rows = [[int(word) for word in line] for line in lines if line]
        except ValueError:
            raise forms.ValidationError("Whole numbers are needed, with blanks between them.") from None
        scores = {entry: tuple(score) for entry, *score in rows}
        if len(scores) != len(rows):
            raise forms.ValidationError("Each entry is named once.")
        return scores


class LayoutForm(ReasonForm):
    tables = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text="A table a line: its entries from seat 0, with blanks between them. It begins as the engine has it.",
        max_length=100_000,
    )
    byes = NumbersField(required=False, help_text="Entries that sit out.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    field_order = ("tables", "byes", "reason")

    def clean_tables(self) -> list[list[int]]:
        numbers = NumbersField()
        return [numbers.clean(line) for line in self.cleaned_data["tables"].splitlines() if line.strip()]


def can_be_laid_out(tournament: Tournament) -> bool:
    """Whether it stands between two rounds of a format in which the results do not make the tables."""
    if tournament.status != Status.RUNNING or record.is_played_out(tournament):
        return False
    state = record.load(tournament.pk)
    begun = tournament.played_rounds.filter(number=state.closed + 1).exists()
    return not begun and formats.get(tournament.format).takes_layouts(state.snapshot())


@deed_page("tournament_lay_out", "rounds/next/")
def lay_out_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    number = record.load(tournament.pk).closed + 1

    def layout(given: Given) -> dict[str, Any]:
        return {
            "tournament_id": tournament.pk,
            "number": number,
            "tables": given["tables"],
            "byes": given["byes"],
            "actor": person(request),
        }

    def preview(given: Given) -> Preview:
        seen = by_hand.preview(**layout(given))
        if seen.faults:
            raise FaultyLayout(f"{'; '.join(seen.faults)}.", faults=list(seen.faults))
        return Preview(facts=list(_facts(seen)), warnings=[f"{one.says}." for one in seen.cautions])

    def lay_out(given: Given, now: datetime) -> None:
        require_unchanged(tournament, given)
        seen = by_hand.preview(**layout(given))
        by_hand.lay_out(**layout(given), token=seen.token or "", reason=given["reason"], now=now)

    deed = Deed(
        title=f"Lay out round {number} of {tournament.name} by hand",
        action="lay-out-round",
        carry_out=lay_out,
        said=f"Round {number} is laid out, and opens with these tables.",
        back=address("tournament_rounds", tournament),
        lead="It stands in the record beside what the engine would have done, with what speaks against it.",
        button="Lay it out",
        preview=preview,
    )
    return desk.do(
        request,
        tournament,
        deed,
        form_class=LayoutForm,
        initial={**_first(tournament, number), "version": record.head(tournament).version},
    )


@deed_page("tournament_give_back", "rounds/next/give-back/")
def give_back_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    number = record.load(tournament.pk).closed + 1
    deed = Deed(
        title=f"Leave round {number} of {tournament.name} to the engine",
        action="give-round-back",
        carry_out=lambda given, now: by_hand.give_back(
            tournament_id=tournament.pk, number=number, actor=person(request), now=now
        ),
        said=f"The engine lays out round {number}.",
        back=address("tournament_rounds", tournament),
        button="Leave it",
    )
    return desk.do(request, tournament, deed)


def _first(tournament: Tournament, number: int) -> dict[str, str]:
    """What the form begins with: what has been laid out already, or else what the engine would do."""
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    found = by_hand.laid_out(state, number)
    if found is None and can_be_laid_out(tournament):
        found = layouts.of_the_engine(form, checker.before(state.snapshot(), number), number)
    if found is None:
        return {}
    return {"tables": "\n".join(_tables(found)), "byes": _numbers(found.byes)}


def _tables(pairing: Pairing) -> list[str]:
    return [_numbers(table.seats) for table in pairing.tables]


def _numbers(entries: Iterable[int]) -> str:
    return " ".join(str(entry) for entry in entries)


def _facts(seen: by_hand.Preview) -> Iterable[tuple[str, str]]:
    yield "Tables", f"{len(seen.pairing.tables)}: {' | '.join(_tables(seen.pairing))}"
    yield "Sitting out", _numbers(seen.pairing.byes) or "nobody"
    if seen.engine is None or seen.comparison is None:
        yield "The engine", "finds no way itself"
        return
    yield "The engine", " | ".join(_tables(seen.engine))
    yield "Tables alike", str(seen.comparison.alike)
    met = [f"{one} and {other}" for one, other in seen.comparison.only_here]
    missed = [f"{one} and {other}" for one, other in seen.comparison.only_engine]
    yield "Meet here alone", ", ".join(met) or "none"
    yield "Would meet there alone", ", ".join(missed) or "none"
