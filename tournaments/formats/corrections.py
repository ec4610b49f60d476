"""Corrections of results and their effects. Nothing is applied here.

A correction is built from what is known and refused if it is impossible. Its effects are the changed standings, the
later rounds that the engine would have paired otherwise, and the changed prizes. Paired rounds stay as they are. In
a bracket, a correction is refused if a later round could not have been paired with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Protocol, TypedDict

from tournaments import formats
from tournaments.formats import checker
from tournaments.formats.corrected_results import EntrantScore, EntrantScoreOutput, score_of
from tournaments.formats.history import History, evolve
from tournaments.formats.protocol import Format, Pairing, Snapshot, Standing, Table
from tournaments.formats.scoring import game_scores
from tournaments.formats.sizes import CannotBeSeated

PLAYED = ("finished", "expired")


class Refused(ValueError):
    """A correction that is impossible. The text gives the reason in a sentence."""


class NoSuchResult(Refused):
    """The tournament has no such round, table, or game."""


class NotClosed(Refused):
    """The round has not been closed yet."""


class NotCorrectable(Refused):
    """The score follows from something else, which must be corrected instead."""


class NotAtTable(Refused):
    """The named entries are not exactly those at the table."""


class Impossible(Refused):
    """The game cannot have that score."""


class Unchanged(Refused):
    """The game has that score already."""


class CorrectionAffectsPairings(Refused):
    """Later rounds could not have been paired, or the tournament could not have finished."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a round, by its number at the table."""

    round: int
    table: int
    number: int = 1


class Way(Protocol):
    """A change of a game's results. `known` is by entry. Raises NotAtTable, Impossible."""

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]: ...


@dataclass(frozen=True, slots=True)
class Scored:
    """New measures for every entrant at the table."""

    scores: Mapping[int, tuple[int, ...]]

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]:
        _require_all(self.scores, known)
        if any(len(score) != len(state.measures) for score in self.scores.values()):
            names = ", ".join(measure.name for measure in state.measures)
            raise Impossible(f"A score is one number for each of {names}.")
        if why := game_scores.impossible(state.rules, list(self.scores.values())):
            raise Impossible(why)
        return {
            entry: EntrantScore(was.ended if was.ended in PLAYED else "finished", self.scores[entry])
            for entry, was in known.items()
        }


@dataclass(frozen=True, slots=True)
class Void:
    """A score of zero for every entrant."""

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]:
        return dict.fromkeys(known, EntrantScore("void", (0,) * len(state.measures)))


@dataclass(frozen=True, slots=True)
class Forfeited:
    """Forfeits of some entrants; the others keep their scores. A forfeited solitaire scores nothing."""

    entries: Sequence[int]

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]:
        _require_some(self.entries, known)
        alone = len(known) == 1
        return {
            entry: replace(was, ended="forfeit", score=(0,) * len(was.score) if alone else was.score)
            if entry in self.entries
            else was
            for entry, was in known.items()
        }


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two entrants whose scores are exchanged."""

    entries: Sequence[int]

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]:
        _require_some(self.entries, known)
        if len(set(self.entries)) != 2:
            raise NotAtTable("Name exactly two entries.")
        one, other = self.entries
        return {**known, one: known[other], other: known[one]}


def way(name: str, *, scores: Mapping[int, tuple[int, ...]], entries: Sequence[int]) -> Way:
    """Return the change by name: `score` (of `scores`), `void`, `forfeit` (by `entries`), or `swap` (of `entries`)."""
    match name:
        case "void":
            return Void()
        case "forfeit":
            return Forfeited(entries)
        case "swap":
            return Swapped(entries)
    return Scored(scores)


def _require_all(named: Mapping[int, Any], known: Mapping[int, EntrantScore]) -> None:
    _require_some(tuple(named), known)
    if missing := sorted(known.keys() - named.keys()):
        raise NotAtTable(f"Entry {missing[0]} is missing: name the score of every entrant at the table.")


def _require_some(named: Sequence[int], known: Mapping[int, EntrantScore]) -> None:
    if len(set(named)) != len(named) or not named:
        raise NotAtTable("Name each entry once.")
    if others := sorted(set(named) - known.keys()):
        raise NotAtTable(f"Entry {others[0]} was not at that table.")


# --- a correction --------------------------------------------------------------------------------------


CorrectedOutput = TypedDict(
    "CorrectedOutput", {"entry": int, "was": EntrantScoreOutput, "is": EntrantScoreOutput}
)


class CorrectionBase(TypedDict):
    number: Annotated[int, "the number of the correction within the tournament, from 1"]
    round: int
    table: int
    deal: int
    results: list[CorrectedOutput]


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction, numbered from 1 within the tournament, with each entry's score before and after."""

    number: int
    round: int
    table: int
    deal: int
    was: Mapping[int, EntrantScore]
    now: Mapping[int, EntrantScore]

    def document(self) -> CorrectionBase:
        """Return the data of the event `result-corrected`."""
        return {
            "number": self.number,
            "round": self.round,
            "table": self.table,
            "deal": self.deal,
            "results": [
                {"entry": entry, "was": was.document(), "is": self.now[entry].document()}
                for entry, was in self.was.items()
            ],
        }


def correction(state: History, game: Game, way: Way) -> Correction:
    """Build a correction. Raises NotCorrectable, NoSuchResult, NotClosed, NotAtTable, Impossible, Unchanged."""
    if formats.get(state.format).on_bets:
        raise NotCorrectable(
            "The results of a race are what its bets were paid, which has been bet again since."
        )
    pairing, table = _seated(state, game)
    deal = formats.get(state.format).deal(tables=len(pairing.tables), game=game.number, table=table.number)
    known = {
        one.entry: score_of(one)
        for one in state.results
        if (one.round, one.table, one.deal) == (game.round, table.number, deal)
    }
    known = {entry: known[entry] for entry in table.seats}
    now = way(state, known)
    if now == known:
        raise Unchanged("The game has that result already.")
    return Correction(state.corrections + 1, game.round, table.number, deal, known, now)


def _seated(state: History, game: Game) -> tuple[Pairing, Table]:
    pairing = next((one for one in state.played if one.round == game.round), None)
    if pairing is None:
        raise NoSuchResult(f"There is no round {game.round}.")
    if game.round > state.closed:
        raise NotClosed(f"Round {game.round} has not been closed.")
    table = next((one for one in pairing.tables if one.number == game.table), None)
    if table is None:
        raise NoSuchResult(f"Round {game.round} has {len(pairing.tables)} tables.")
    if not 1 <= game.number <= state.games:
        raise NoSuchResult(f"A table plays {state.games} games in a round.")
    return pairing, table


def after(state: History, made: Correction) -> History:
    return evolve(state, "result-corrected", made.document())


# --- its effects ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedStanding:
    """An entrant's standing before and after."""

    was: Standing
    now: Standing


@dataclass(frozen=True, slots=True)
class ChangedPairing:
    """A paired round, and the pairing that the engine would make now; None if the round would not exist."""

    was: Pairing
    would_be: Pairing | None


@dataclass(frozen=True, slots=True)
class Prize:
    """An entrant's prize before and after, in pence."""

    entry: int
    was: int
    now: int


@dataclass(frozen=True, slots=True)
class Effects:
    """The standings before and after a correction, and its effects. `prizes` is set only for finished tournaments."""

    standings_were: tuple[Standing, ...]
    standings: tuple[Standing, ...]
    moved: tuple[ChangedStanding, ...]
    pairings: tuple[ChangedPairing, ...]
    prizes: tuple[Prize, ...]

    @property
    def winners_were(self) -> tuple[int, ...]:
        return _first(self.standings_were)

    @property
    def winners(self) -> tuple[int, ...]:
        return _first(self.standings)


Divide = Callable[[Sequence[Standing]], Mapping[int, int]]
"""A function from standings to prizes by entry, in pence."""


def effects(state: History, made: Correction, divide: Divide) -> Effects:
    """Return the effects of a correction. Raises CorrectionAffectsPairings."""
    form, later = formats.get(state.format), after(state, made)
    # Checked first: an impossible bracket has no standings.
    pairings = tuple(_changed_pairings(form, state.snapshot(), later.snapshot(), made.round))
    before, now = form.standings(state.snapshot()), form.standings(later.snapshot())
    had = {one.entry: one for one in before}
    finished = state.status == "finished"
    if finished and state.closed < state.rounds and not form.is_over(later.snapshot()):
        raise CorrectionAffectsPairings("The tournament has finished and would have needed another round.")
    awards = divide(now) if finished else {}
    return Effects(
        standings_were=before,
        standings=now,
        moved=tuple(ChangedStanding(had[one.entry], one) for one in now if had[one.entry] != one),
        pairings=pairings,
        prizes=tuple(
            Prize(entry, state.awards.get(entry, 0), amount)
            for entry, amount in sorted(awards.items())
            if state.awards.get(entry, 0) != amount
        ),
    )


def _first(standings: Sequence[Standing]) -> tuple[int, ...]:
    return tuple(sorted(one.entry for one in standings if one.place == 1))


def _changed_pairings(form: Format, was: Snapshot, now: Snapshot, round: int) -> list[ChangedPairing]:
    """Return the later rounds that would have been paired otherwise. Raises CorrectionAffectsPairings for a bracket."""
    changed = []
    for pairing in now.played:
        if pairing.round <= round or pairing.by_hand:
            continue
        known = _as_known_now(now, pairing.round)
        would_be = _paired(form, known, pairing.round)
        if would_be == pairing or would_be == _paired(form, _as_known_now(was, pairing.round), pairing.round):
            continue
        if not form.takes_manual_pairings(known):
            raise CorrectionAffectsPairings(
                f"Round {pairing.round} follows from the winners; a correction must leave it unchanged."
            )
        changed.append(ChangedPairing(pairing, would_be))
    return changed


def _as_known_now(snapshot: Snapshot, round: int) -> Snapshot:
    """Return the snapshot from which a round would be paired if all later corrections had been known."""
    return checker.before(replace(snapshot, superseded=()), round)


def _paired(form: Format, known: Snapshot, round: int) -> Pairing | None:
    try:
        return form.pair(known, round)
    except CannotBeSeated:
        return None
