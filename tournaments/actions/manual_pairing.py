"""Staff actions for manual pairings and pairing constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from django import forms

from staff.actions import AlreadyDone, FormData, Preview, ReasonForm
from tournaments import formats, record
from tournaments.actions.base import TournamentAction, require_unchanged
from tournaments.errors import InvalidManualPairing
from tournaments.formats import checker, pairing_review
from tournaments.formats.constraints import APART, TOGETHER
from tournaments.formats.protocol import Pairing
from tournaments.models import Status, Tournament
from tournaments.rounds import manual_pairing


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


class NextRoundAction(TournamentAction):
    """An action on the round after the last one that was closed."""

    tab = "tournament_rounds"

    def locate(self, number: int | None = None) -> None:
        """Over REST the round has its number in the address, and the service refuses any but the next."""
        if number is not None:
            self.number = number

    @cached_property
    def number(self) -> int:
        return record.load(self.row.pk).closed + 1


class PairManually(NextRoundAction):
    name, label, page = "lay-out-round", "Record pairing", "tournament_pair_manually"
    route = "<uuid:pk>/rounds/next/"
    operations = ("tournament_pairing_set",)
    form = LayoutForm
    lead = "The events record it with its warnings and the engine's pairing."

    @property
    def title(self) -> str:
        return f"Pair round {self.number} of {self.row.name} manually"

    @property
    def message(self) -> str:
        return f"Round {self.number} is paired and opens with these tables."

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {**_first(self.row, self.number), "version": record.head(self.row).version}

    def pairing(self, data: FormData) -> dict[str, Any]:
        return {
            "tournament_id": self.row.pk,
            "number": self.number,
            "tables": data["tables"],
            "byes": data["byes"],
            "actor": self.actor,
        }

    def preview(self, data: FormData) -> Preview:
        seen = manual_pairing.preview(**self.pairing(data))
        if seen.faults:
            raise InvalidManualPairing(f"{'; '.join(seen.faults)}.", faults=list(seen.faults))
        return Preview(facts=list(_facts(seen)), warnings=[f"{one.message}." for one in seen.cautions])

    def act(self, data: FormData, now: datetime) -> manual_pairing.Preview:
        """Raises AlreadyDone if this pairing is recorded. REST sends the token of its preview."""
        seen = manual_pairing.preview(**self.pairing(data))
        recorded = manual_pairing.recorded_pairing(record.load(self.row.pk), self.number)
        if recorded is not None and not seen.faults and _laid_out(recorded) == _laid_out(seen.pairing):
            raise AlreadyDone
        if "token" not in data:
            require_unchanged(self.row, data)
        token = data.get("token", seen.token or "")
        return manual_pairing.pair_manually(**self.pairing(data), token=token, reason=data["reason"], now=now)


class DropPairing(NextRoundAction):
    name, label, page = "give-round-back", "Drop pairing", "tournament_drop_pairing"
    route = "<uuid:pk>/rounds/next/give-back/"
    operations = ("tournament_pairing_delete",)

    @property
    def title(self) -> str:
        return f"Drop the manual pairing of round {self.number} of {self.row.name}"

    @property
    def message(self) -> str:
        return f"The engine pairs round {self.number}."

    def act(self, data: FormData, now: datetime) -> None:
        manual_pairing.drop_pairing(tournament_id=self.row.pk, number=self.number, actor=self.actor, now=now)


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


def _laid_out(pairing: Pairing) -> object:
    return [tuple(table.seats) for table in pairing.tables], tuple(pairing.byes)


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
        return {**given, "entries": [given.get("one"), given.get("other")]}


def takes_constraints(tournament: Tournament) -> bool:
    return formats.get(tournament.format).takes_constraints(record.load(tournament.pk).snapshot())


class ConstraintAction(TournamentAction):
    """An action on the pairing constraint of two entries."""

    form = PairForm
    tab = "tournament_rounds"

    def order(self, data: FormData, now: datetime) -> dict[str, Any]:
        return {
            "tournament_id": self.row.pk,
            "entries": data["entries"],
            "actor": self.actor,
            "reason": data["reason"],
            "now": now,
        }

    def preview(self, data: FormData) -> Preview:
        """Return the entrants, after checking that the action would not be refused."""
        super().preview(data)
        named = (
            self.row.entries.filter(number__in=data["entries"]).select_related("player").order_by("number")
        )
        facts = [(f"Entry {entry.number}", entry.player.get_full_name()) for entry in named]
        return Preview(facts=[*facts, ("Constraint", CONSTRAINTS[data["constraint"]])])


class AddConstraint(ConstraintAction):
    name, label, page = "say-of-pair", "Add constraint", "tournament_pair_say"
    route = "<uuid:pk>/pairs/"
    operations = ("tournament_pairs_create",)
    lead = (
        "Entrants kept apart meet only if no other pairing exists. Entrants brought together meet in the next round, "
        "regardless of the others. The reason is public."
    )
    message = "The constraint applies to future rounds."

    @property
    def title(self) -> str:
        return f"Add a pairing constraint in {self.row.name}"

    def act(self, data: FormData, now: datetime) -> None:
        if data["constraint"] == APART:
            manual_pairing.keep_apart(first=data.get("first"), **self.order(data, now))
        else:
            manual_pairing.bring_together(**self.order(data, now))


class ReleaseConstraint(ConstraintAction):
    name, label, page = "release-pair", "Release", "tournament_pair_release"
    route = "<uuid:pk>/pairs/release/"
    operations = ("tournament_pairs_release",)
    message = "The constraint was released."

    @property
    def title(self) -> str:
        return f"Release a pairing constraint in {self.row.name}"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {name: query.get(name, "") for name in ("one", "other", "constraint")}

    def act(self, data: FormData, now: datetime) -> None:
        manual_pairing.release(what=data["constraint"], **self.order(data, now))
