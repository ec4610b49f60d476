"""Correcting a result: what a game is to be worth instead, and what that changes.

Nothing is applied here. A correction is made from what is known, refused where it cannot be, and its effects are told:
standings, later rounds that the engine would have laid out otherwise, prizes. Rounds that have been laid out stay as
they are; in a bracket, where the next round is made of who won, one that could not have come about forbids it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tournaments import formats
from tournaments.formats import checker, scoring
from tournaments.formats.corrected import Worth, worth
from tournaments.formats.history import History, evolve
from tournaments.formats.protocol import Format, Pairing, Snapshot, Standing, Table
from tournaments.formats.sizes import CannotBeSeated

PLAYED = ("finished", "expired")


class Refused(ValueError):
    """A correction that cannot be; says why in a sentence."""


class NoSuchResult(Refused):
    """The tournament has no such round, table or game."""


class NotClosed(Refused):
    """Results are corrected when their round has been closed."""


class NotCorrectable(Refused):
    """What the game is worth follows from something else, which is corrected where it stands."""


class NotAtTable(Refused):
    """Somebody is named who did not sit there, or not everybody who did."""


class Impossible(Refused):
    """The game cannot be worth that."""


class Unchanged(Refused):
    """It is worth that already."""


class ReachesOn(Refused):
    """Rounds that have been laid out, or the end, could not have come about."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a round, by the number that it has at its table."""

    round: int
    table: int
    number: int = 1


class Way(Protocol):
    """How a game's results are to be changed. `known` is by entry; raises NotAtTable, Impossible."""

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]: ...


@dataclass(frozen=True, slots=True)
class Scored:
    """Everybody's measures, as they should have been."""

    scores: Mapping[int, tuple[int, ...]]

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]:
        _require_all(self.scores, known)
        if any(len(score) != len(state.measures) for score in self.scores.values()):
            names = ", ".join(measure.name for measure in state.measures)
            raise Impossible(f"A score is one number for each of {names}.")
        if why := scoring.impossible(state.rules, list(self.scores.values())):
            raise Impossible(why)
        return {
            entry: Worth(was.ended if was.ended in PLAYED else "finished", self.scores[entry])
            for entry, was in known.items()
        }


@dataclass(frozen=True, slots=True)
class Void:
    """The game is worth nothing to anybody."""

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]:
        return dict.fromkeys(known, Worth("void", (0,) * len(state.measures)))


@dataclass(frozen=True, slots=True)
class Forfeited:
    """These have forfeited; of the others it stays what it was. A solitaire that is forfeited is worth nothing."""

    entries: Sequence[int]

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]:
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
    """What the one got, the other should have."""

    entries: Sequence[int]

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]:
        _require_some(self.entries, known)
        if len(set(self.entries)) != 2:
            raise NotAtTable("Two change their results.")
        one, other = self.entries
        return {**known, one: known[other], other: known[one]}


def way(name: str, *, scores: Mapping[int, tuple[int, ...]], entries: Sequence[int]) -> Way:
    """Of these names: `score` (of `scores`), `void`, `forfeit` (by `entries`), `swap` (of `entries`)."""
    match name:
        case "void":
            return Void()
        case "forfeit":
            return Forfeited(entries)
        case "swap":
            return Swapped(entries)
    return Scored(scores)


def _require_all(named: Mapping[int, Any], known: Mapping[int, Worth]) -> None:
    _require_some(tuple(named), known)
    if missing := sorted(known.keys() - named.keys()):
        raise NotAtTable(f"Entry {missing[0]} sat there too: say what everybody at the table got.")


def _require_some(named: Sequence[int], known: Mapping[int, Worth]) -> None:
    if len(set(named)) != len(named) or not named:
        raise NotAtTable("Each is named once.")
    if others := sorted(set(named) - known.keys()):
        raise NotAtTable(f"Entry {others[0]} did not sit at that table.")


# --- a correction --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Correction:
    """The `number`-th of a tournament, from 1: of a game, what each entry had and what it is to have."""

    number: int
    round: int
    table: int
    deal: int
    was: Mapping[int, Worth]
    now: Mapping[int, Worth]

    def document(self) -> dict[str, Any]:
        """As the event `result-corrected` tells it."""
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
    """Raises NotCorrectable, NoSuchResult, NotClosed, NotAtTable, Impossible, Unchanged."""
    if formats.get(state.format).on_bets:
        raise NotCorrectable(
            "What a race is worth is what the bets on it were paid, and that has been bet again since."
        )
    pairing, table = _seated(state, game)
    deal = formats.get(state.format).deal(tables=len(pairing.tables), game=game.number, table=table.number)
    known = {
        one.entry: worth(one)
        for one in state.results
        if (one.round, one.table, one.deal) == (game.round, table.number, deal)
    }
    known = {entry: known[entry] for entry in table.seats}
    now = way(state, known)
    if now == known:
        raise Unchanged("The game is worth exactly that already.")
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
class Moved:
    """Somebody's standing before and after."""

    was: Standing
    now: Standing


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A round that was laid out, and how it would have been; None where it could not have been at all."""

    was: Pairing
    would_be: Pairing | None


@dataclass(frozen=True, slots=True)
class Prize:
    """In pence."""

    entry: int
    was: int
    now: int


@dataclass(frozen=True, slots=True)
class Effects:
    """What a correction changes, and the standings that it leads to. `prizes` only of a finished tournament."""

    standings: tuple[Standing, ...]
    moved: tuple[Moved, ...]
    pairings: tuple[Otherwise, ...]
    prizes: tuple[Prize, ...]
    winners_were: tuple[int, ...]
    winners: tuple[int, ...]


Divide = Callable[[Sequence[Standing]], Mapping[int, int]]
"""Everybody's prize by entry, in pence, for standings."""


def effects(state: History, made: Correction, divide: Divide) -> Effects:
    """Raises ReachesOn."""
    form, later = formats.get(state.format), after(state, made)
    # First: of a bracket that could not have come about there are no standings.
    pairings = tuple(_otherwise(form, state.snapshot(), later.snapshot(), made.round))
    before, now = form.standings(state.snapshot()), form.standings(later.snapshot())
    had = {one.entry: one for one in before}
    finished = state.status == "finished"
    if finished and state.closed < state.rounds and not form.is_over(later.snapshot()):
        raise ReachesOn("Another round would have been needed, and the tournament has finished.")
    awards = divide(now) if finished else {}
    return Effects(
        standings=now,
        moved=tuple(Moved(had[one.entry], one) for one in now if had[one.entry] != one),
        pairings=pairings,
        prizes=tuple(
            Prize(entry, state.awards.get(entry, 0), amount)
            for entry, amount in sorted(awards.items())
            if state.awards.get(entry, 0) != amount
        ),
        winners_were=_first(before),
        winners=_first(now),
    )


def _first(standings: Sequence[Standing]) -> tuple[int, ...]:
    return tuple(sorted(one.entry for one in standings if one.place == 1))


def _otherwise(form: Format, was: Snapshot, now: Snapshot, round: int) -> list[Otherwise]:
    """The rounds laid out after `round` that this changes. Raises ReachesOn where one is part of a bracket."""
    changed = []
    for pairing in now.played:
        if pairing.round <= round or pairing.by_hand:
            continue
        known = _as_known_now(now, pairing.round)
        would_be = _paired(form, known, pairing.round)
        if would_be == pairing or would_be == _paired(form, _as_known_now(was, pairing.round), pairing.round):
            continue
        if not form.takes_layouts(known):
            raise ReachesOn(
                f"Round {pairing.round} was laid out from who had won: correct what leaves it as it is."
            )
        changed.append(Otherwise(pairing, would_be))
    return changed


def _as_known_now(snapshot: Snapshot, round: int) -> Snapshot:
    """What a round would be laid out from if all that was corrected since had been known."""
    return checker.before(replace(snapshot, superseded=()), round)


def _paired(form: Format, known: Snapshot, round: int) -> Pairing | None:
    try:
        return form.pair(known, round)
    except CannotBeSeated:
        return None
