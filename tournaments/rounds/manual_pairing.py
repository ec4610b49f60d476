"""Manual pairings and pairing constraints: the organizer's changes to the next round.

A manual pairing is previewed first, with its faults, its warnings, and the differences from the engine's pairing.
The preview returns a token over the tournament's version and the pairing, which recording requires. So the recorded
pairing is the previewed one, and nothing has changed since. The round opens with it when it is due. Until then it
can be replaced or dropped. If one of its entrants leaves, or another enters, it becomes invalid and the organizer
is asked.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NotRequired, TypedDict
from uuid import UUID

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts.models import Player
from rest.documents import one_of
from tournaments import formats, record, roles
from tournaments.errors import (
    BadPair,
    InvalidManualPairing,
    ManualPairingNotSupported,
    NoManualPairing,
    NoPairingConstraint,
    PairingConstraintExists,
    PairingConstraintsNotSupported,
    PreviewStale,
    WrongStatus,
)
from tournaments.formats import checker, history, pairing_review
from tournaments.formats.constraints import TOGETHER, Constraint, Two, What
from tournaments.formats.history import History
from tournaments.formats.pairing_review import Caution, Comparison
from tournaments.formats.protocol import RELAXATIONS, Format, Pairing, Snapshot
from tournaments.models import Status, Tournament
from tournaments.rounds import stalls
from tournaments.rounds.selectors import CorrectedPairingOutput, pairing_document

Tables = Sequence[Sequence[int]]


class PairingWarningOutput(TypedDict):
    what: Annotated[str, one_of([*RELAXATIONS, "split", "more-byes"])]
    entries: list[int]
    message: str


class EnginePairingOutput(CorrectedPairingOutput):
    algorithm: str
    going_on: NotRequired[
        Annotated[list[int], "the entrants of the stage that begins with this round; missing in other rounds"]
    ]


def _engine(algorithm: str, pairing: Pairing) -> EnginePairingOutput:
    paired = pairing_document(pairing)
    shown: EnginePairingOutput = {
        "algorithm": algorithm,
        "tables": paired["tables"],
        "byes": paired["byes"],
        "relaxed": paired["relaxed"],
    }
    if pairing.going_on:
        shown["going_on"] = list(pairing.going_on)
    return shown


Pairs = list[list[int]]


class ComparisonOutput(TypedDict):
    same_tables: Annotated[int, "tables with the same entries"]
    pairs_only_manual: Annotated[Pairs, "pairs that meet in the manual pairing only"]
    pairs_only_engine: Annotated[Pairs, "pairs that meet in the engine's pairing only"]
    byes_only_manual: list[int]
    byes_only_engine: list[int]


def _comparison(found: Comparison) -> ComparisonOutput:
    return {
        "same_tables": found.same_tables,
        "pairs_only_manual": [list(two) for two in found.pairs_only_manual],
        "pairs_only_engine": [list(two) for two in found.pairs_only_engine],
        "byes_only_manual": list(found.byes_only_manual),
        "byes_only_engine": list(found.byes_only_engine),
    }


class ManualPairingPreview(TypedDict):
    round: int
    faults: Annotated[list[str], "why the pairing cannot be played; empty if it can"]
    warnings: list[PairingWarningOutput]
    engine: Annotated[EnginePairingOutput | None, "null: the engine finds no pairing"]
    comparison: ComparisonOutput | None
    token: Annotated[str | None, "the token that recording requires; null with faults"]


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview of a manual pairing.

    With `faults`, in plain words, there is no token. `engine` is None if the engine finds no pairing.
    """

    pairing: Pairing
    faults: tuple[str, ...]
    cautions: tuple[Caution, ...]
    algorithm: str
    engine: Pairing | None
    comparison: Comparison | None
    token: str | None

    def document(self) -> ManualPairingPreview:
        return {
            "round": self.pairing.round,
            "faults": list(self.faults),
            "warnings": [
                {"what": one.what, "entries": list(one.entries), "message": one.message}
                for one in self.cautions
            ],
            "engine": _engine(self.algorithm, self.engine) if self.engine else None,
            "comparison": _comparison(self.comparison) if self.comparison else None,
            "token": self.token,
        }


def preview(
    *, tournament_id: UUID, number: int, tables: Tables, byes: Sequence[int], actor: Player
) -> Preview:
    """Preview a manual pairing. Raises NotFound, InterestedParty, WrongStatus, ManualPairingNotSupported."""
    with transaction.atomic():
        return _preview(*_waiting(tournament_id, number, actor), number, tables, byes)


@transaction.atomic
def pair_manually(
    *,
    tournament_id: UUID,
    number: int,
    tables: Tables,
    byes: Sequence[int],
    token: str,
    actor: Player,
    reason: str,
    now: datetime,
) -> Preview:
    """Record a manual pairing, with which the round will open.

    Raises NotFound, InterestedParty, WrongStatus, ManualPairingNotSupported, InvalidManualPairing, PreviewStale.
    """
    tournament, state = _waiting(tournament_id, number, actor)
    seen = _preview(tournament, state, number, tables, byes)
    if seen.token is None:
        raise InvalidManualPairing(f"{'; '.join(seen.faults)}.", faults=list(seen.faults))
    if not hmac.compare_digest(seen.token, token):
        raise PreviewStale
    data = {
        **history.paired(seen.pairing),
        "engine": _pairing_data(seen.engine) if seen.engine else None,
        "warnings": [one.document() for one in seen.cautions],
        "algorithm": seen.algorithm,
        "known": _known(state, number).fingerprint(),
        "reason": reason,
        "by": str(actor.pk),
    }
    record.append(tournament, ("round-laid-out", data), now=now)
    return seen


@transaction.atomic
def drop_pairing(*, tournament_id: UUID, number: int, actor: Player, now: datetime) -> None:
    """Drop a manual pairing, so that the engine pairs the round.

    Raises NotFound, InterestedParty, WrongStatus, ManualPairingNotSupported, NoManualPairing.
    """
    tournament, state = _waiting(tournament_id, number, actor)
    if recorded_pairing(state, number) is None:
        raise NoManualPairing
    record.append(tournament, ("layout-dropped", {"round": number, "by": str(actor.pk)}), now=now)


def recorded_pairing(state: History, number: int) -> Pairing | None:
    """Return the manual pairing of a round, if there is one."""
    return next((one for one in state.played if one.round == number and one.by_hand), None)


def current_faults(form: Format, state: History, pairing: Pairing) -> tuple[str, ...]:
    """Return why a recorded manual pairing is invalid now, in plain words."""
    return pairing_review.faults(form, _known(state, pairing.round), pairing)


def stall_for_pairing(
    tournament: Tournament, pairing: Pairing, faults: Sequence[str], *, now: datetime
) -> None:
    """Stall the tournament, since its manual pairing cannot be opened."""
    trouble = stalls.describe_invalid_pairing(pairing.round, tuple(faults))
    stalls.stall(tournament_id=tournament.pk, trouble=trouble, now=now)


def _waiting(tournament_id: UUID, number: int, actor: Player) -> tuple[Tournament, History]:
    """Return the locked tournament, whose next round this must be."""
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.RUNNING:
        raise WrongStatus(
            f"The tournament is {tournament.status}; only rounds of a running one can be paired manually."
        )
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    if not form.takes_manual_pairings(state.snapshot()):
        raise ManualPairingNotSupported(f"In the format {form.slug} the tables follow from the results.")
    if record.is_played_out(tournament):
        raise WrongStatus("All rounds have been played.")
    if number != state.closed + 1 or tournament.played_rounds.filter(number=number).exists():
        raise WrongStatus(f"Round {number} is not the next round.")
    return tournament, state


def _known(state: History, number: int) -> Snapshot:
    return checker.before(state.snapshot(), number)


def _preview(
    tournament: Tournament, state: History, number: int, tables: Tables, byes: Sequence[int]
) -> Preview:
    form, known = formats.get(tournament.format), _known(state, number)
    pairing = pairing_review.layout(known, number, tables, byes)
    engine = pairing_review.of_the_engine(form, known, number)
    faults = pairing_review.faults(form, known, pairing)
    return Preview(
        pairing,
        faults,
        pairing_review.cautions(known, pairing, engine),
        form.algorithm(known),
        engine,
        pairing_review.compare(pairing, engine) if engine else None,
        None if faults else _token(tournament, pairing),
    )


def _token(tournament: Tournament, pairing: Pairing) -> str:
    text = json.dumps([str(tournament.pk), record.head(tournament).version, history.paired(pairing)])
    return salted_hmac("tournaments.by_hand", text, algorithm="sha256").hexdigest()


def _pairing_data(pairing: Pairing) -> dict[str, Any]:
    data = history.paired(pairing)
    del data["round"]
    return data


# --- pairing constraints -----------------------------------------------------------------------------


@transaction.atomic
def keep_apart(
    *,
    tournament_id: UUID,
    entries: Sequence[int],
    first: int | None = None,
    actor: Player,
    reason: str,
    now: datetime,
) -> None:
    """Keep two entries at different tables from round `first` on; None: from the next round that is paired.

    A constraint applies to future rounds only. Separation is the last criterion to be relaxed, and the round
    records it. Required meetings are never relaxed.

    Raises NotFound, InterestedParty, WrongStatus, PairingConstraintsNotSupported, BadPair, PairingConstraintExists.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _pair(state, entries)
    _require_unconstrained(state, two)
    since = state.next_round if first is None else first
    if not state.next_round <= since <= tournament.rounds:
        raise BadPair(f"The first round must be from {state.next_round} to {tournament.rounds}.")
    _append(tournament, "kept-apart", {"entries": list(two), "from": since}, actor, reason, now)


@transaction.atomic
def bring_together(
    *, tournament_id: UUID, entries: Sequence[int], actor: Player, reason: str, now: datetime
) -> None:
    """Make two entries meet in the next round, regardless of the effect on others.

    Raises NotFound, InterestedParty, WrongStatus, PairingConstraintsNotSupported, BadPair, PairingConstraintExists.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _pair(state, entries)
    _require_unconstrained(state, two)
    awaited = {
        entry
        for constraint in _effective(state)
        if constraint.what == TOGETHER
        for entry in constraint.entries
    }
    if taken := sorted(awaited & set(two)):
        raise PairingConstraintExists(f"Entry {taken[0]} must meet another entry in that round.")
    data = {"entries": list(two), "round": state.next_round}
    _append(tournament, "brought-together", data, actor, reason, now)


@transaction.atomic
def release(
    *, tournament_id: UUID, what: What, entries: Sequence[int], actor: Player, reason: str, now: datetime
) -> None:
    """Release a pair from a constraint for all rounds that are not paired yet.

    Raises NotFound, InterestedParty, WrongStatus, PairingConstraintsNotSupported, BadPair, NoPairingConstraint.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _ordered(entries)
    if not any(constraint.what == what and constraint.entries == two for constraint in _effective(state)):
        raise NoPairingConstraint
    data = {"what": what, "entries": list(two), "from": state.next_round}
    _append(tournament, "pair-released", data, actor, reason, now)


class PairingConstraintOutput(TypedDict):
    constraint: What
    entries: Annotated[list[int], "two, the smaller first"]
    first: Annotated[int, "the first round of the constraint"]
    last: Annotated[int | None, "the last round; null: until it is released"]


class PairingConstraintsOutput(TypedDict):
    results: list[PairingConstraintOutput]


def constraints_in(tournament: Tournament) -> list[PairingConstraintOutput]:
    """Return all constraints that were not released before they took effect, in their order."""
    return [
        {
            "constraint": constraint.what,
            "entries": list(constraint.entries),
            "first": constraint.first,
            "last": constraint.last,
        }
        for constraint in record.load(tournament.pk).constraints
    ]


def _before_a_round(tournament_id: UUID, actor: Player) -> tuple[Tournament, History]:
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status not in (Status.PUBLISHED, Status.RUNNING):
        raise WrongStatus(f"The tournament is {tournament.status}.")
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    if not form.takes_constraints(state.snapshot()):
        raise PairingConstraintsNotSupported(f"The format {form.slug} takes no pairing constraints.")
    if state.next_round > tournament.rounds:
        raise WrongStatus("All rounds are paired.")
    return tournament, state


def _pair(state: History, entries: Sequence[int]) -> Two:
    two = _ordered(entries)
    playing = {entrant.entry for entrant in state.entrants if entrant.last is None}
    if missing := [entry for entry in two if entry not in playing]:
        raise BadPair(f"Entry {missing[0]} is not playing.")
    return two


def _ordered(entries: Sequence[int]) -> Two:
    if len(set(entries)) != 2:
        raise BadPair("Two different entries are needed.")
    one, other = sorted(set(entries))
    return one, other


def _effective(state: History) -> list[Constraint]:
    """Return the constraints of the next round or a later one."""
    return [
        constraint
        for constraint in state.constraints
        if constraint.last is None or constraint.last >= state.next_round
    ]


def _require_unconstrained(state: History, two: Two) -> None:
    for constraint in _effective(state):
        if constraint.entries == two:
            raise PairingConstraintExists(
                f"Entries {two[0]} and {two[1]} are under the constraint {constraint.what} already."
            )


def _append(
    tournament: Tournament, type: str, data: dict[str, Any], actor: Player, reason: str, now: datetime
) -> None:
    record.append(tournament, (type, {**data, "reason": reason, "by": str(actor.pk)}), now=now)
