"""Merkle trees as in RFC 6962 section 2.1: leaves and nodes are hashed differently, so neither passes for the other.
Pure.

A tree over n leaves splits at the largest power of two below n.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaf_hashes: Iterable[bytes]) -> bytes:
    """The root over leaves given by their hashes, in order.

    >>> root([]).hex() == hashlib.sha256(b"").hexdigest()
    True
    """
    level = list(leaf_hashes)
    while len(level) > 1:
        # Pairs from the left. A last one without a partner moves up, which splits at the largest power of two.
        pairs = list(map(node_hash, level[::2], level[1::2]))
        level = pairs + level[2 * len(pairs) :]
    return level[0] if level else EMPTY_ROOT


def audit_path(leaf_hashes: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes with which the root is computed from the leaf at `index`, from the leaf upwards."""
    if not 0 <= index < len(leaf_hashes):
        raise IndexError(f"there is no leaf {index} among {len(leaf_hashes)}")
    if len(leaf_hashes) == 1:
        return []
    split = _split(len(leaf_hashes))
    left, right = leaf_hashes[:split], leaf_hashes[split:]
    if index < split:
        return [*audit_path(left, index), root(right)]
    return [*audit_path(right, index - split), root(left)]


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root computed from a leaf hash and its audit path; None if the path does not fit `index` and `size`."""
    if not 0 <= index < size:
        return None
    if size == 1:
        return leaf if not path else None
    if not path:
        return None
    split = _split(size)
    if index < split:
        below = root_from_path(leaf, index, split, path[:-1])
        return None if below is None else node_hash(below, path[-1])
    below = root_from_path(leaf, index - split, size - split, path[:-1])
    return None if below is None else node_hash(path[-1], below)


def _split(size: int) -> int:
    return int(1 << (size - 1).bit_length() - 1)
