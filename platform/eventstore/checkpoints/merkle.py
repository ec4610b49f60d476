"""Merkle trees as in RFC 6962 section 2.1: leaves and nodes are hashed differently, so neither passes for the other.
Pure.

A tree over n leaves splits at the largest power of two below n. Roots are computed as leaves arrive, with one hash
per level in memory.
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
    peaks: list[tuple[int, bytes]] = []  # complete subtrees, larger to the left: (leaves, hash)
    for hash in leaf_hashes:
        size = 1
        while peaks and peaks[-1][0] == size:
            hash = node_hash(peaks.pop()[1], hash)
            size *= 2
        peaks.append((size, hash))
    if not peaks:
        return EMPTY_ROOT
    _, folded = peaks.pop()
    while peaks:
        folded = node_hash(peaks.pop()[1], folded)
    return folded


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
