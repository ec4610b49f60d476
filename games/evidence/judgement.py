"""Each event of a recorded game judged by itself: whether it is chained, and whether the rules give it (RULEBOOK 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from eventstore.chain import GENESIS, canonical
from games.rules import table as tables
from games.rules.bundle import link_fault
from games.rules.rejudge import Rejudge, Sealed, Wrong
from games.rules.table import UNFOLDABLE, Table, why_unfoldable

Verdict = Literal["passed", "failed", "not-run"]


class Judged(NamedTuple):
    """One event. Behind the first that fails nothing is judged, for it says nothing any more."""

    event: Mapping[str, Any]
    chain: Verdict
    rules: Verdict
    check: str | None
    """The check that fails, by its name in a bundle's report."""
    why: str | None
    before: Table | None
    after: Table | None
    """As recorded, whatever the rules say of it; None where the event cannot be folded."""

    @property
    def divergence(self) -> dict[str, Any] | None:
        """`version`, `check` and `why` of an event that could not have been; None of one that could."""
        if self.check is None:
            return None
        return {"version": self.event["version"], "check": self.check, "why": self.why}


def judge(game: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> Iterator[Judged]:
    """Step through a stream from its first event; `game` is as in a bundle, its server seed null while that is secret.

    Whatever stands in the events, a verdict is given on each of them.
    """
    again = Rejudge(game)
    table: Table | None = None
    prev, sound, foldable = GENESIS, True, True
    for version, event in enumerate(events, start=1):
        before = table
        chain, rules = "not-run", "not-run"
        check = why = None
        if sound:
            why = _chain_fault(event, version, prev, str(game["id"]))
            chain, check = ("failed", "chain") if why else ("passed", None)
        if sound and not why:
            rules, check, why = _rules(again, event)
        sound = sound and check is None
        prev = event["hash"]
        if sound:
            # Where the deal is sealed to the judge it is not stepped on.
            table = again.table if rules == "passed" else _folded(table, event)
        elif foldable:
            table = _folded(table, event)
        foldable = table is not None
        yield Judged(event, chain, rules, check, why, before, table)  # type: ignore[arg-type]


def _chain_fault(event: Mapping[str, Any], version: int, prev: str, stream: str) -> str | None:
    try:
        return link_fault(event, version, prev, stream, canonical(event["data"]))
    except (ValueError, TypeError, RecursionError):
        return "its data has no canonical form"


def _rules(again: Rejudge, event: Mapping[str, Any]) -> tuple[Verdict, str | None, str | None]:
    try:
        again.step(event)
    except Wrong as wrong:
        return "failed", wrong.check, wrong.why
    except Sealed:
        return "not-run", None, None
    except UNFOLDABLE as error:
        return "failed", "events", why_unfoldable(error)
    return "passed", None, None


def _folded(table: Table | None, event: Mapping[str, Any]) -> Table | None:
    try:
        return tables.evolve(table, event["type"], event["seat"], event["data"], event["private"])
    except UNFOLDABLE:
        return None
