"""Exact division of money. Pure and deterministic: no penny is lost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import accumulate
from math import lcm
from typing import TypeVar

WHOLE = 10_000
"""Basis points in the whole."""

Entry = TypeVar("Entry", bound=Hashable)


def largest_remainder(amount: int, weights: Sequence[int], order: Sequence[int] | None = None) -> list[int]:
    """Divide `amount` pence in proportion to `weights`. Each share is rounded down; the remaining pence go to the
    largest remainders, equal remainders by `order` (lower first; by default as listed).

    >>> largest_remainder(100, [1, 1, 1])
    [34, 33, 33]
    >>> largest_remainder(100, [1, 1, 1], order=[2, 1, 0])
    [33, 33, 34]

    Raises ValueError if an amount or a weight is negative, or all weights are zero.
    """
    total = sum(weights)
    if amount < 0 or total <= 0 or min(weights) < 0:
        raise ValueError("an amount is divided by weights of which none is negative and one is positive")
    rank = range(len(weights)) if order is None else order
    if len(rank) != len(weights):
        raise ValueError("every weight has a place in the order")
    shares = [amount * weight // total for weight in weights]
    first = sorted(range(len(weights)), key=lambda i: (-(amount * weights[i] % total), rank[i], i))
    for i in first[: amount - sum(shares)]:
        shares[i] += 1
    return shares


def prizes(
    pool: int,
    basis_points: Sequence[int],
    places: Sequence[Sequence[Entry]],
    amounts: Sequence[int] = (),
) -> dict[Entry, int]:
    """Return the prize of each entry; the whole pool is paid.

    `amounts` (pence) are the fixed prizes of rank 1, 2 …; `basis_points` are the shares of the ranks in the rest,
    10,000 together. `places` are the entries by place; entries that share a place are in entry order and divide the
    prizes of their ranks equally. An unclaimed fixed prize stays in the pool, and unclaimed shares go to the others in
    proportion. Odd pence go by largest remainder, then by rank, then by entry.

    >>> prizes(1001, [5000, 3000, 2000], [["ann"], ["bob", "eve"], ["sid"]])
    {'ann': 501, 'bob': 250, 'eve': 250, 'sid': 0}
    >>> prizes(1000, [6000, 4000], [["ann"], ["bob", "eve"]], amounts=[500, 200, 100])
    {'ann': 620, 'bob': 190, 'eve': 190}

    Raises ValueError if the shares are not 10,000 together, an amount is negative, the fixed prizes are more than the
    pool, an entry is there twice, or there is no entry.
    """
    if sum(basis_points) != WHOLE or min(basis_points, default=-1) < 0:
        raise ValueError(f"prizes are basis points of {WHOLE} together")
    groups = [list(group) for group in places if group]
    entries = [entry for group in groups for entry in group]
    if len(set(entries)) != len(entries):
        raise ValueError("an entry has one place")
    if pool == 0:
        return dict.fromkeys(entries, 0)
    fixed, shares = _pooled(amounts, groups), _pooled(basis_points, groups)
    if min(amounts, default=0) < 0 or sum(fixed) > pool:
        raise ValueError("fixed prizes are not negative, and no more than the pool")
    rest, taken = pool - sum(fixed), sum(shares)
    # The least number that every group divides keeps equal parts of a place in integers.
    scale = lcm(*(len(group) for group in groups))
    weights: list[int] = []
    for group, amount, share in zip(groups, fixed, shares, strict=True):
        # What the group has to get, times `taken`: together that is the pool times `taken`.
        weights += [(amount * taken + rest * share) * (scale // len(group))] * len(group)
    return dict(zip(entries, largest_remainder(pool, weights), strict=True))


def _pooled(by_rank: Sequence[int], groups: Sequence[Sequence[object]]) -> list[int]:
    """Sum the ranks of each group."""
    starts = accumulate((len(group) for group in groups), initial=0)
    return [sum(by_rank[start : start + len(group)]) for start, group in zip(starts, groups, strict=False)]


def rake(pool: int, basis_points: int) -> tuple[int, int]:
    """Return the site's rake of a pool, rounded down, and the rest for prizes.

    >>> rake(999, 500)
    (49, 950)
    """
    if pool < 0 or not 0 <= basis_points <= WHOLE:
        raise ValueError(f"a rake is 0 to {WHOLE} basis points of a pool")
    taken = pool * basis_points // WHOLE
    return taken, pool - taken
