"""Which checkpoint covers an event, and the leaves that were signed with it: for whoever asks about one stream.

Both take as long in a small installation as in a large one: a search among the numbers of the checkpoints, and one
checkpoint's leaves, of which there are at most `checkpoint.MOST_LEAVES` to a source.
"""

from __future__ import annotations

from bisect import bisect_left

from django.db.models import Max, Min

from eventstore import checkpoint, merkle
from eventstore.checkpoint import KeptLeaf
from eventstore.inclusion import SOURCE
from eventstore.models import Checkpoint
from eventstore.store import Position

BEFORE_ALL = Position(-1, -1, -1)


class Unreadable(Exception):
    """Under a number at which there has to be a checkpoint there is none, or something else."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def first_reaching(position: Position) -> int | None:
    """The number of the first checkpoint that covers the events up to a position; None if there is none yet.

    Raises Unreadable.
    """
    ends = Checkpoint.objects.aggregate(first=Min("number"), last=Max("number"))
    if ends["first"] is None:
        return None
    numbers = range(ends["first"], ends["last"] + 1)
    at = bisect_left(numbers, position, key=reach)
    return numbers[at] if at < len(numbers) else None


def reach(number: int) -> Position:
    """How far a checkpoint covers the events; each reaches at least as far as the one before. Raises Unreadable."""
    one = Checkpoint.objects.filter(number=number).defer("leaves").first()
    if one is None:
        raise Unreadable(number)
    try:
        until = checkpoint.published(one).content["sources"][SOURCE]["until"]
        return Position(*until) if until else BEFORE_ALL
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(number) from error


def signed_leaves(one: Checkpoint) -> list[KeptLeaf] | None:
    """The leaves of the streams that moved, as kept beside a checkpoint; None if they are not those that it signed.

    Raises Unreadable.
    """
    try:
        parts = checkpoint.published(one).content["sources"]
        leaves = checkpoint.leaves_of(one, parts, SOURCE)
        is_signed = merkle.root(leaf.hash for leaf in leaves).hex() == parts[SOURCE]["root"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(one.number) from error
    return leaves if is_signed else None
