"""The proof that a bundle may carry: that its game stood in a signed checkpoint as it stands here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from eventstore import inclusion
from eventstore.inclusion import Held, Kept
from eventstore.published import NotPublished
from games.rules.bundle_form import PROOF

PROOF_CHECKS = {
    "checkpoint": "a checkpoint covers the last event, and a key that is trusted vouches for it",
    "known": "that checkpoint and the ones that were kept are of one history",
}
"""What no bundle can show by itself: checked where it carries its proof, and where one is asked for."""


class Proof(NamedTuple):
    """The checkpoint in which a bundle is shown to stand."""

    number: int
    at: str
    version: int
    """The event that it covers, and all before it."""
    key: str
    held: Held | None
    """`fast` where one was kept that is this one or a later one; `following` where it comes after those that were."""


class Notes(Protocol):
    def passed(self, *checks: str) -> None: ...
    def fail(self, check: str, why: str, version: int | None = None) -> None: ...


def judge(bundle: Mapping[str, Any], kept: Kept, notes: Notes, *, ended: bool) -> Proof | None:
    """What the proof in a bundle of good form shows. None where it shows nothing.

    Nothing passes where nothing was kept to judge by: whoever made the proof could have signed it as well.
    """
    if PROOF not in bundle:
        notes.fail(
            "checkpoint", "the bundle carries no proof that a checkpoint covers it: fetch it with proof=1"
        )
        return None
    proof = inclusion.read(bundle[PROOF])
    if wrong := proof.fault(bundle["game"]["id"], bundle["events"][proof.version - 1]["hash"]):
        notes.fail("checkpoint", f"checkpoint {wrong[0]}: {wrong[1]}")
        return None
    if ended and proof.version < len(bundle["events"]):
        why = f"checkpoint {proof.number} covers no more than event {proof.version}"
        notes.fail("checkpoint", why, proof.version + 1)
    elif kept.keys and (why_not := inclusion.signature_fault(proof, kept.keys)):
        notes.fail("checkpoint", why_not)
    elif kept.keys:
        notes.passed("checkpoint")
    held = _held(proof, kept, notes) if kept.known else None
    return Proof(proof.number, proof.checkpoint.at, proof.version, proof.checkpoint.key, held)


def _held(proof: inclusion.Inclusion, kept: Kept, notes: Notes) -> Held | None:
    try:
        found = inclusion.held(proof, kept.known)
    except NotPublished as error:
        notes.fail("known", str(error))
        return None
    notes.passed("known")
    return found
