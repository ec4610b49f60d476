"""Inclusion proofs: proof that a checkpoint covers the head of a stream, and how far a reader can trust it. Pure.

A proof has the Merkle path from the stream's head to the signed root, a part of the chain that begins or ends with
that checkpoint, and the checkpoints in which one key hands over to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eventstore.checkpoints import merkle
from eventstore.checkpoints.published import NotPublished, Published, Trust, faults, merged, parse

SOURCE = "streams"
"""The source of checkpoints whose leaves are the heads of streams."""

MOST_NODES = 64
"""The largest number of hashes in a path: larger trees do not exist."""

Held = Literal["fast", "following"]


def head_leaf(stream: str, version: int, hash: str) -> bytes:
    """What a checkpoint signs of a stream: its head, as canonical JSON."""
    return f'{{"hash":"{hash}","stream":"{stream}","version":{version}}}'.encode()


@dataclass(frozen=True, slots=True)
class Inclusion:
    number: int
    """The checkpoint whose root the path proves."""
    version: int
    """The event that was the stream's head there."""
    index: int
    path: tuple[bytes, ...]
    chain: tuple[Published, ...]
    """Consecutive checkpoints, including `number`."""
    keys: tuple[Published, ...]
    """The checkpoints in which a key hands over to the next."""

    def document(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "version": self.version,
            "index": self.index,
            "path": [node.hex() for node in self.path],
            "chain": [one.document() for one in self.chain],
            "keys": [one.document() for one in self.keys],
        }

    @property
    def checkpoint(self) -> Published:
        """The checkpoint of the proof. Raises NotPublished if the chain does not contain it."""
        for one in self.chain:
            if one.number == self.number:
                return one
        raise NotPublished(f"the chain does not hold checkpoint {self.number}")

    def fault(self, stream: str, hash: str) -> tuple[int, str] | None:
        """The faults of the proof for a stream whose event `version` has that hash: the checkpoint, and the reason."""
        for number, why in faults(self.chain):
            return number, why
        signed = self.checkpoint.root(SOURCE)
        if signed is None:
            return self.number, f"it does not cover {SOURCE}"
        root, leaves = signed
        leaf = merkle.leaf_hash(head_leaf(stream, self.version, hash))
        if merkle.root_from_path(leaf, self.index, leaves, self.path) != root:
            return (
                self.number,
                f"the path does not lead from event {self.version} to the root that was signed",
            )
        return None


KEYS = ("number", "version", "index", "path", "chain", "keys")


def read(document: Any) -> Inclusion:
    """Parse a document. Raises NotPublished unless it has the form of `Inclusion.document`."""
    if type(document) is not dict or document.keys() != set(KEYS):
        raise NotPublished(f"has the keys {', '.join(KEYS)}, no other and none missing")
    numbers = [document[name] for name in ("number", "version", "index")]
    lists = [document[name] for name in ("path", "chain", "keys")]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise NotPublished("`number`, `version` and `index` are whole numbers")
    if not all(type(many) is list for many in lists) or len(document["path"]) > MOST_NODES:
        raise NotPublished(f"`path`, `chain` and `keys` are lists, the path of at most {MOST_NODES} hashes")
    try:
        path = tuple(bytes.fromhex(node) for node in document["path"])
    except (TypeError, ValueError):
        raise NotPublished("`path` is a list of hashes") from None
    chain, keys = (tuple(parse(one) for one in document[name]) for name in ("chain", "keys"))
    number, version, index = numbers
    found = Inclusion(number, version, index, path, chain, keys)
    _ = found.checkpoint
    return found


# --- what it is worth ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trusted:
    """What a verifier trusts: public keys (hex), and checkpoints fetched earlier."""

    keys: tuple[str, ...] = ()
    known: tuple[Published, ...] = ()


def signature_fault(proof: Inclusion, keys: Iterable[str]) -> str | None:
    """Why the trusted keys do not confirm the checkpoint; None if one signed it or a later one in the chain."""
    trust = Trust(keys, proof.keys)
    if any(trust.covers(one) for one in proof.chain if one.number >= proof.number):
        return None
    return f"checkpoint {proof.number} is signed by {proof.checkpoint.key}: no key you trust, nor one that took over"


def held(proof: Inclusion, known: Sequence[Published]) -> Held:
    """Whether the stored checkpoints confirm that of the proof (itself or a later one), or precede it.

    Raises NotPublished if they are inconsistent, or if nothing shows that they are consistent.
    """
    history, different = merged(known, proof.chain)
    if different:
        raise NotPublished(different[0][1])
    by_number = {one.number: one for one in history}
    later = min((one.number for one in known if one.number >= proof.number), default=None)
    earlier = max((one.number for one in known if one.number < proof.number), default=None)
    for nearest in (later, earlier):
        if nearest is None:
            continue
        between = range(min(nearest, proof.number), max(nearest, proof.number) + 1)
        if all(number in by_number for number in between):
            if wrong := next(faults([by_number[number] for number in between]), None):
                raise NotPublished(f"checkpoint {wrong[0]}: {wrong[1]}")
            return "fast" if nearest == later else "following"
    wanted = earlier if later is None else later
    raise NotPublished(
        f"the proof does not reach checkpoint {wanted} that you trust: fetch it with known={wanted}"
    )
