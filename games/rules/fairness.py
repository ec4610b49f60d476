"""Provable deals: commitment, client seeds, game key, shuffle and seal (RULEBOOK 1, Fairness)."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from eventstore.chain import canonical

SEED_BYTES = 32
CLIENT_SEED_LENGTH = 64
"""Unicode code points."""

_WORDS = struct.Struct(">8I")
_SPAN = 2**32

Card = TypeVar("Card")


class BadSeed(ValueError):
    """A server seed that is not 32 bytes, or a client seed outside its form."""


def commitment(server_seed: bytes) -> str:
    """Return the hash of the server seed that is published before any client seed: SHA-256 (hex)."""
    return hashlib.sha256(server_seed).hexdigest()


def client_seed(text: object) -> str:
    """Return `text` if it is a client seed, else raise BadSeed. It is not normalised."""
    if not isinstance(text, str):
        raise BadSeed("a client seed is text")
    if len(text) > CLIENT_SEED_LENGTH:
        raise BadSeed(f"a client seed has at most {CLIENT_SEED_LENGTH} characters, this one has {len(text)}")
    if "|" in text or "\0" in text or _has_a_lone_surrogate(text):
        raise BadSeed("a client seed holds no '|', no NUL and no lone surrogate")
    return text


def _has_a_lone_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def tournament_server_seed(tournament_seed: bytes, *, round: int, deal: int) -> bytes:
    """Return the server seed of one deal; rounds and deals count from 1."""
    return hmac.digest(tournament_seed, b"round|%d|deal|%d" % (round, deal), "sha256")


def deal_number(*, tables: int, game: int, table: int) -> int:
    """`d` of a round whose tables have deals of their own: tables × (game − 1) + table, both from 1.

    >>> deal_number(tables=4, game=2, table=3)
    7
    """
    return tables * (game - 1) + table


def entropy(client_seeds: Sequence[str]) -> str:
    """A tournament's one client seed: SHA-256 (hex) of its entrants' seeds joined with `|` in entry order."""
    return hashlib.sha256("|".join(client_seeds).encode()).hexdigest()


def lot_key(tournament_seed: bytes, entropy: str) -> str:
    """The text (hex) that the lots of a tournament are drawn from, published when its entries close.

    It depends on the committed seed, so no entrant can compute it and choose a client seed by its draw.
    """
    return hmac.digest(tournament_seed, f"lots|{entropy}".encode(), "sha256").hex()


class GameKey:
    """The key of one game, from which its packs, shuffles, and seals are derived.

    `client_seeds` are the seats' in order; `bet_seeds` follow them where the game has a market (None: it has none). The
    repr shows no seed, so that a key in a log line or traceback betrays nothing.
    """

    __slots__ = ("bet_seeds", "client_seeds", "digest", "server_seed")

    def __init__(
        self, server_seed: bytes, client_seeds: Sequence[str], bet_seeds: Sequence[str] | None = None
    ) -> None:
        if len(server_seed) != SEED_BYTES:
            raise BadSeed(f"a server seed is {SEED_BYTES} bytes, this one has {len(server_seed)}")
        self.server_seed = server_seed
        self.client_seeds = tuple(client_seed(seed) for seed in client_seeds)
        self.bet_seeds = None if bet_seeds is None else tuple(client_seed(seed) for seed in bet_seeds)
        message = "racecard/1|" + "|".join((*self.client_seeds, *(self.bet_seeds or ())))
        self.digest = hmac.digest(server_seed, message.encode(), "sha256")

    def __repr__(self) -> str:
        return f"<GameKey of {len(self.client_seeds)} seats>"

    def numbers(self, label: str) -> Iterator[int]:
        """Yield the endless stream of unsigned 32-bit numbers of a label."""
        block = 0
        while True:
            yield from _WORDS.unpack(hmac.digest(self.digest, f"{label}|{block}".encode(), "sha256"))
            block += 1

    def shuffle(self, cards: Sequence[Card], label: str) -> list[Card]:
        """A shuffled copy (Fisher–Yates from the end); the last card is the top of the pile."""
        shuffled = list(cards)
        numbers = self.numbers(label)
        for i in range(len(shuffled) - 1, 0, -1):
            j = uniform(i + 1, numbers)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return shuffled

    def seal(self, stream: str, version: int, private: Mapping[str, Any]) -> str:
        """Return the seal of an event's private part: HMAC-SHA256 (hex)."""
        message = f"seal|{stream}|{version}|".encode() + canonical(private)
        return hmac.digest(self.digest, message, "sha256").hex()


def uniform(n: int, numbers: Iterator[int]) -> int:
    """Return a uniform number below n, by rejecting numbers beyond the last whole multiple of n."""
    limit = _SPAN - _SPAN % n
    for number in numbers:
        if number < limit:
            return number % n
    raise BadSeed("the stream of numbers ended")
