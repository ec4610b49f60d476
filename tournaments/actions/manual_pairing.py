"""Staff actions for manual pairings and pairing constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.utils.text import capfirst

from staff.actions import AlreadyDone, FormData, Preview, ReasonForm
from tournaments import formats, record
from tournaments.actions.base import TournamentAction, require_unchanged
from tournaments.actions.rows import EntrantsField, names_of, numbers, with_names, words
from tournaments.errors import InvalidManualPairing
from tournaments.formats import checker, pairing_review
from tournaments.formats.constraints import APART, TOGETHER
from tournaments.formats.protocol import Pairing
from tournaments.models import Status, Tournament
from tournaments.rounds import manual_pairing


class LayoutForm(ReasonForm):
    tables = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text="One line for each table: the players in the order of their seats, with commas between them. "
        "Initially the engine's pairing.",
        max_length=200_000,
    )
    byes = EntrantsField(required=False, help_text="The players with a bye.")
    version = forms.IntegerField(widget=forms.HiddenInput)
    field_order = ("tables", "byes", "reason")

    entrants: ClassVar[Mapping[int, str]] = {}

    def clean_tables(self) -> list[list[int]]:
        lines = [line for line in self.cleaned_data["tables"].splitlines() if line.strip()]
        return [numbers(words(line), self.entrants) for line in lines]

    def clean_byes(self) -> list[int]:
        return numbers(self.cleaned_data["byes"], self.entrants)


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

    def form_class(self) -> type[LayoutForm]:
        return type("PairingOfRound", (LayoutForm,), {"entrants": self.names})

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of the entrants; two with one name have their numbers with it."""
        return names_of(self.row)

    def initial(self, query: Mapping[str, str]) -> FormData:
        found = _first(self.row, self.number)
        if found is None:
            return {"version": record.head(self.row).version}
        return {
            "tables": "\n".join(_tables(found, self.names)),
            "byes": _named(found.byes, self.names),
            "version": record.head(self.row).version,
        }

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
            faults = with_names(f"{'; '.join(seen.faults)}.", self.names)
            raise InvalidManualPairing(capfirst(faults), faults=list(seen.faults))
        warnings = [capfirst(with_names(f"{one.message}.", self.names)) for one in seen.cautions]
        return Preview(facts=list(_facts(seen, self.names)), warnings=warnings)

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

    lead = "The engine pairs the round when it opens."

    @property
    def message(self) -> str:
        return f"The engine pairs round {self.number}."

    def preview(self, data: FormData) -> Preview:
        found, names, state = super().preview(data), names_of(self.row), record.load(self.row.pk)
        recorded = manual_pairing.recorded_pairing(state, self.number)
        form, known = formats.get(self.row.format), checker.before(state.snapshot(), self.number)
        engine = pairing_review.of_the_engine(form, known, self.number)
        tables = [
            (label, " | ".join(_tables(pairing, names)) if pairing else "finds no pairing")
            for label, pairing in (("Manual pairing", recorded), ("The engine", engine))
        ]
        return replace(found, facts=[*tables, *found.facts])

    def act(self, data: FormData, now: datetime) -> None:
        manual_pairing.drop_pairing(tournament_id=self.row.pk, number=self.number, actor=self.actor, now=now)


def _first(tournament: Tournament, number: int) -> Pairing | None:
    """Return the initial pairing of the form: the recorded one, or the engine's."""
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    found = manual_pairing.recorded_pairing(state, number)
    if found is None and takes_manual_pairing(tournament):
        found = pairing_review.of_the_engine(form, checker.before(state.snapshot(), number), number)
    return found


def _laid_out(pairing: Pairing) -> object:
    return [tuple(table.seats) for table in pairing.tables], tuple(pairing.byes)


def _tables(pairing: Pairing, names: Mapping[int, str]) -> list[str]:
    return [_named(table.seats, names) for table in pairing.tables]


def _named(entries: Iterable[int], names: Mapping[int, str]) -> str:
    """Return entrants as `numbers` reads them."""
    return ", ".join(names.get(entry, str(entry)) for entry in entries)


def _facts(seen: manual_pairing.Preview, names: Mapping[int, str]) -> Iterable[tuple[str, str]]:
    yield "Tables", f"{len(seen.pairing.tables)}: {' | '.join(_tables(seen.pairing, names))}"
    yield "Byes", _named(seen.pairing.byes, names) or "none"
    if seen.engine is None or seen.comparison is None:
        yield "The engine", "finds no pairing"
        return
    yield "The engine", " | ".join(_tables(seen.engine, names))
    yield "Equal tables", str(seen.comparison.same_tables)
    met = [f"{names[one]} and {names[other]}" for one, other in seen.comparison.pairs_only_manual]
    missed = [f"{names[one]} and {names[other]}" for one, other in seen.comparison.pairs_only_engine]
    yield "Meet only here", ", ".join(met) or "none"
    yield "Meet only in the engine's pairing", ", ".join(missed) or "none"


# --- pairing constraints -----------------------------------------------------------------------------


CONSTRAINTS = {APART: "Keep apart", TOGETHER: "Must meet in the next round"}


class PairForm(ReasonForm):
    constraint = forms.ChoiceField(choices=list(CONSTRAINTS.items()), label="Constraint")
    one = EntrantsField(label="Player")
    other = EntrantsField(label="Other player")
    tournament: ClassVar[Tournament]
    field_order = ("one", "other", "constraint", "reason")

    def clean(self) -> FormData:
        given = super().clean() or {}
        written = [*given.get("one", ()), *given.get("other", ())]
        entries = numbers(written, names_of(self.tournament, called=written))
        if not self.errors and len(set(entries)) != 2:
            raise forms.ValidationError("Two different players are needed.")
        return {**given, "entries": entries}


def takes_constraints(tournament: Tournament) -> bool:
    return formats.get(tournament.format).takes_constraints(record.load(tournament.pk).snapshot())


class ConstraintAction(TournamentAction):
    """An action on the pairing constraint of two entries."""

    form = PairForm
    tab = "tournament_rounds"

    def form_class(self) -> type[PairForm]:
        return type("PairOfTournament", (PairForm,), {"tournament": self.row})

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
        names = names_of(self.row, data["entries"])
        return Preview(
            facts=[("Players", " and ".join(names.values())), ("Constraint", CONSTRAINTS[data["constraint"]])]
        )


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
        """The query has entry numbers, which the form shows as names."""
        given = {name: query.get(name, "") for name in ("one", "other", "constraint")}
        names = names_of(self.row, called=[given["one"], given["other"]])
        shown = {str(entry): name for entry, name in names.items()}
        return {name: shown.get(value, value) for name, value in given.items()}

    def act(self, data: FormData, now: datetime) -> None:
        manual_pairing.release(what=data["constraint"], **self.order(data, now))
