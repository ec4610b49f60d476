"""Verdicts on each event of a stored game: whether it is chained, and whether the rules allow it (RULEBOOK 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from eventstore.chain import GENESIS, Broken, linked
from games.rules import table as tables
from games.rules.bundles.rejudge import Rejudge, Sealed, Wrong
from games.rules.table import UNFOLDABLE, Table, why_unfoldable

Verdict = Literal["passed", "failed", "not-run"]


class Judged(NamedTuple):
    """One event with its verdicts. Events after the first failure are not judged."""

    event: Mapping[str, Any]
    chain: Verdict
    rules: Verdict
    check: str | None
    """The failed check, by its name in a bundle's report."""
    why: str | None
    before: Table | None
    after: Table | None
    """The table as stored, whatever the verdict; None if the event cannot be folded."""

    @property
    def divergence(self) -> dict[str, Any] | None:
        """`version`, `check`, and `why` of a failed event, else None."""
        if self.check is None:
            return None
        return {"version": self.event["version"], "check": self.check, "why": self.why}


def judge(game: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> Iterator[Judged]:
    """Judge a stream from its first event. `game` is as in a bundle, with a null server seed while it is secret.

    Every event gets a verdict, whatever it contains.
    """
    again = Rejudge(game)
    table: Table | None = None
    prev, sound, foldable = GENESIS, True, True
    for version, event in enumerate(events, start=1):
        before = table
        chain, rules = "not-run", "not-run"
        check = why = None
        if sound:
            try:
                written = linked(event, stream=str(game["id"]), version=version, prev=prev)
            except Broken as broken:
                chain, check, why = "failed", "chain", str(broken)
            else:
                chain = "passed"
                rules, check, why = _rules(again, event, written)
        sound = sound and check is None
        prev = event["hash"]
        if sound:
            # If the deal is still secret the check cannot proceed.
            table = again.table if rules == "passed" else _folded(table, event)
        elif foldable:
            table = _folded(table, event)
        foldable = table is not None
        yield Judged(event, chain, rules, check, why, before, table)  # type: ignore[arg-type]


def _rules(
    again: Rejudge, event: Mapping[str, Any], written: bytes
) -> tuple[Verdict, str | None, str | None]:
    try:
        again.step(event, written)
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
