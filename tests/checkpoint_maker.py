"""Checkpoints signed without a database, by keys that are the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from eventstore.chain import GENESIS, canonical
from eventstore.checkpoints import merkle
from eventstore.checkpoints.inclusion import SOURCE, Inclusion, head_leaf
from eventstore.checkpoints.published import FORMAT, Published, handover_text

Head = tuple[str, int, str]
"""A stream, its version and its hash there."""


def private_key(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b".")[:32])


def public_key(name: str) -> str:
    return private_key(name).public_key().public_bytes_raw().hex()


class Signer:
    """A signer with its checkpoints and the heads that each covers."""

    def __init__(self, key: str = "first") -> None:
        self.key = key
        self.history: list[Published] = []
        self.heads: dict[int, Sequence[Head]] = {}

    def sign(
        self,
        *heads: Head,
        at: str = "2026-03-01T12:00:00.000000Z",
        hands_to: str | None = None,
        lost: str | None = None,
        **word: Any,
    ) -> Published:
        """`hands_to`: the name of the next key; `lost`: that of the key whose place this one takes."""
        number = len(self.history) + 1
        previous = self.history[-1].hash if self.history else GENESIS
        if hands_to:
            text = handover_text(public_key(self.key), public_key(hands_to), number, previous)
            word["next_key"] = {
                "key": public_key(hands_to),
                "consent": private_key(hands_to).sign(text).hex(),
            }
        if lost:
            word["lost_key"] = public_key(lost)
        part = {
            "after": _reached(number - 1),
            "until": _reached(number),
            "leaves": len(heads),
            "root": merkle.root(_leaves(heads)).hex(),
        }
        content = {
            "format": FORMAT,
            "number": number,
            "at": at,
            "previous": previous,
            "sources": {SOURCE: part},
        }
        made = self.signed(content | word)
        self.heads[number] = heads
        self.history.append(made)
        self.key = hands_to or self.key
        return made

    def signed(self, content: dict[str, Any]) -> Published:
        """Sign any content with the signer's key."""
        body = canonical(content)
        signature = private_key(self.key).sign(body).hex()
        number, hash = content["number"], merkle.leaf_hash(body).hex()
        return Published(number, body.decode(), hash, signature, public_key(self.key))

    def prove(self, number: int, index: int = 0, *, known: int | None = None) -> Inclusion:
        """That checkpoint `number` covers the head that is its leaf `index`."""
        first, last = sorted((number, known or number))
        return Inclusion(
            number=number,
            version=self.heads[number][index][1],
            index=index,
            path=tuple(merkle.audit_path(_leaves(self.heads[number]), index)),
            chain=tuple(self.history[first - 1 : last]),
            keys=tuple(one for one in self.history if one.successor),
        )


def _leaves(heads: Sequence[Head]) -> list[bytes]:
    return [merkle.leaf_hash(head_leaf(*head)) for head in heads]


def _reached(number: int) -> list[int] | None:
    return [0, 0, number] if number else None
