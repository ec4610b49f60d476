"""Whether a continued game agrees with its parent, event by event, from their two bundles alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from eventstore.chain import parse_at
from games.rules.bundles.rejudge import same
from games.rules.bundles.verification import verify
from games.rules.table import CONTINUED, NoParent, Parent, read_parent

Bundle = Mapping[str, Any]

SHARED = ("rules", "rules_version", "config", "seats", "bet_seeds", "commitment", "server_seed")
"""Fields of the game that both bundles must have in common."""
REPEATED = ("type", "seat", "data", "private")


class Lineage(NamedTuple):
    parent: Parent | None
    version: int | None
    """The first event in which the two differ; None where they agree, or differ in something else."""
    why: str | None
    """None where they agree."""

    @property
    def ok(self) -> bool:
        return self.why is None

    def document(self) -> dict[str, Any]:
        named = None if self.parent is None else self.parent.document()
        return {"ok": self.ok, "parent": named, "version": self.version, "why": self.why}


def parent_of(bundle: Bundle) -> Parent | None:
    """Return the event of another game that a bundle continues."""
    parent = bundle["events"][0]["data"].get("parent")
    try:
        return None if parent is None else read_parent(parent)
    except NoParent:
        return None


def compare(child: Bundle, parents: Mapping[str, Bundle]) -> Lineage:
    """`child` has been verified; `parents` are bundles by the id of their game."""
    named = parent_of(child)
    if named is None:
        return Lineage(None, None, "it continues no other game")
    before = parents.get(named.game)
    if before is None:
        return Lineage(named, None, f"the bundle of its parent {named.game} was not given")
    report = verify(before)
    if not report.ok:
        return Lineage(named, report.version, f"its parent is not valid: {report.why}")
    return Lineage(named, *(_fault(child, before, named) or (None, None)))


def _fault(child: Bundle, before: Bundle, named: Parent) -> tuple[int | None, str] | None:
    """Return the first difference: its event, if it is one, and the reason."""
    for name in SHARED:
        if not same(child["game"][name], before["game"][name]):
            return None, f"`game.{name}` is not its parent's"
    if not same(_place(child), _place(before)):
        return None, "its place in a tournament is not its parent's"
    events, repeated = child["events"], before["events"]
    if len(repeated) < named.version or len(events) < named.version:
        return named.version, "one of the two has no event of that version"
    if repeated[named.version - 1]["hash"] != named.hash:
        return named.version, "the hash that it names is not that of its parent's event"
    if repeated[-1]["type"] != "voided" or repeated[-1]["data"] != {"reason": CONTINUED}:
        return None, "its parent did not end as a continued game does"
    moved = _moved(events[0], repeated[0])
    if moved < timedelta(0):
        return 1, "it is earlier than its parent"
    for version, (event, was) in enumerate(
        zip(events[: named.version], repeated[: named.version], strict=True), start=1
    ):
        if why := _difference(event, was, first=version == 1):
            return version, why
        if _moved(event, was) != moved:
            return version, f"its time is not {moved} after its parent's, as that of the first event is"
    return None


def _place(bundle: Bundle) -> Any:
    """The tournament's seed is shown when it has ended: one of the bundles may be older than that."""
    place = bundle["game"]["tournament"]
    return None if place is None else {key: value for key, value in place.items() if key != "seed"}


def _difference(event: Mapping[str, Any], was: Mapping[str, Any], *, first: bool) -> str | None:
    if first:
        event, was = (
            {**one, "data": {key: value for key, value in one["data"].items() if key != "parent"}}
            for one in (event, was)
        )
    for name in REPEATED:
        if not same(event[name], was[name]):
            return f"its `{name}` is not that of its parent's event"
    return None


def _moved(event: Mapping[str, Any], was: Mapping[str, Any]) -> timedelta:
    return parse_at(event["at"]) - parse_at(was["at"])
