"""The checkpoint that covers an event, its signed entries, and the inclusion proof of a stream.

The cost does not depend on the size of the installation: a binary search among the checkpoints, and the entries of
one checkpoint, at most `service.MOST_LEAVES` per source.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from uuid import UUID

from django.db.models import Max, Min

from core.errors import Conflict, InvalidInput
from eventstore import store
from eventstore.checkpoints import merkle
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.inclusion import SOURCE, Inclusion
from eventstore.checkpoints.published import Published
from eventstore.checkpoints.service import CheckpointEntry
from eventstore.models import Checkpoint
from eventstore.store import Position

BEFORE_ALL = Position(-1, -1, -1)


class Unreadable(Exception):
    """A checkpoint that must exist is missing or damaged."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def first_reaching(position: Position, reached: Callable[[int], Position] | None = None) -> int | None:
    """The number of the first checkpoint that covers the events up to a position; None if there is none yet.

    `reached` returns what `reach` does, such as from a cache for many calls. Raises Unreadable.
    """
    ends = Checkpoint.objects.aggregate(first=Min("number"), last=Max("number"))
    if ends["first"] is None:
        return None
    numbers = range(ends["first"], ends["last"] + 1)
    at = bisect_left(numbers, position, key=reached or reach)
    return numbers[at] if at < len(numbers) else None


def reach(number: int) -> Position:
    """The position up to which a checkpoint covers the events; it never decreases. Raises Unreadable."""
    one = Checkpoint.objects.filter(number=number).defer("leaves").first()
    if one is None:
        raise Unreadable(number)
    try:
        until = checkpoint.published(one).content["sources"][SOURCE]["until"]
        return Position(*until) if until else BEFORE_ALL
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(number) from error


def signed_leaves(one: Checkpoint) -> list[CheckpointEntry] | None:
    """The entries stored with a checkpoint, of the streams that moved; None if they are not those that it signed.

    Raises Unreadable.
    """
    try:
        parts = checkpoint.published(one).content["sources"]
        leaves = checkpoint.entries_of(one, parts, SOURCE)
        is_signed = merkle.root(leaf.hash for leaf in leaves).hex() == parts[SOURCE]["root"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(one.number) from error
    return leaves if is_signed else None


MOST_CHECKPOINTS = 2_000
"""The largest number in one proof. Readers with an older checkpoint fetch those between from the list."""


class NotCovered(Conflict):
    code = "not-covered-yet"
    title = "No checkpoint covers this yet; one is signed every minute"


class Unprovable(Conflict):
    code = "not-provable"
    title = "What the checkpoint signed is not what the database holds"


def prove(stream: UUID, *, known: int | None = None) -> Inclusion:
    """The proof that the newest checkpoint with this stream covers its event `version`, connected to `known`.

    `known` is the number of a checkpoint that the reader has; the chain connects it with that of the proof. Raises
    NotCovered, Unprovable (the tables differ from what was signed), InvalidInput (`known`).
    """
    last = checkpoint.reached(SOURCE)
    head = store.last_until(stream, last) if last else None
    if head is None:
        raise NotCovered
    version, position = head
    covering, leaves = _covering(position)
    index = next((index for index, leaf in enumerate(leaves) if leaf.id == stream.bytes), None)
    if index is None:
        raise Unprovable
    return Inclusion(
        number=covering.number,
        version=version,
        index=index,
        path=tuple(merkle.audit_path([leaf.hash for leaf in leaves], index)),
        chain=tuple(_chain(covering.number, covering.number if known is None else known)),
        keys=tuple(checkpoint.handovers()),
    )


def _covering(position: Position) -> tuple[Checkpoint, list[CheckpointEntry]]:
    """The first checkpoint that covers the position, and its signed entries. Raises Unprovable."""
    try:
        number = first_reaching(position)
        found = None if number is None else Checkpoint.objects.filter(number=number).first()
        leaves = signed_leaves(found) if found else None
    except Unreadable:
        raise Unprovable from None
    if found is None or leaves is None:
        raise Unprovable
    return found, leaves


def _chain(number: int, known: int) -> list[Published]:
    first, last = min(number, known), max(number, known)
    if last - first >= MOST_CHECKPOINTS:
        raise InvalidInput(
            f"known: between {known} and {number}, which covers this, are more than {MOST_CHECKPOINTS} checkpoints. "
            "Fetch them from the list, and check with those as well."
        )
    chain = [
        checkpoint.published(one)
        for one in Checkpoint.objects.filter(number__range=(first, last)).defer("leaves").order_by("number")
    ]
    if len(chain) <= last - first:
        raise InvalidInput(f"known: there is no checkpoint {known}.")
    return chain
