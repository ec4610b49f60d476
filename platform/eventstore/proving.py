"""The proof that a checkpoint covers a stream, made from the tables (see `eventstore.inclusion`)."""

from __future__ import annotations

from uuid import UUID

from api.errors import Conflict, InvalidInput
from eventstore import checkpoint, merkle, store
from eventstore.checkpoint import KeptLeaf
from eventstore.covering import Unreadable, first_reaching, signed_leaves
from eventstore.inclusion import SOURCE, Inclusion
from eventstore.models import Checkpoint
from eventstore.published import Published
from eventstore.store import Position

MOST_CHECKPOINTS = 2_000
"""In one proof; whoever keeps an older checkpoint fetches what lies between from the list of checkpoints."""


class NotCovered(Conflict):
    code = "not-covered-yet"
    title = "No checkpoint covers this yet; one is signed every minute"


class Unprovable(Conflict):
    code = "not-provable"
    title = "What the checkpoint signed is not what the database holds"


def prove(stream: UUID, *, known: int | None = None) -> Inclusion:
    """That the newest checkpoint with this stream in it covers its event `version`, and how that goes with `known`.

    `known` is the number of a checkpoint that somebody keeps: the chain then reaches from the one to the other.
    Raises NotCovered, Unprovable (the tables are not what was signed), InvalidInput (`known`).
    """
    last = checkpoint.reached(SOURCE)
    head = store.last_until(stream, last) if last else None
    if head is None:
        raise NotCovered
    version, position = head
    covering, leaves = _covering(position)
    index = next((index for index, leaf in enumerate(leaves) if leaf.id == stream), None)
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


def _covering(position: Position) -> tuple[Checkpoint, list[KeptLeaf]]:
    """The first checkpoint that reaches as far as that, and the leaves that it signed. Raises Unprovable."""
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
