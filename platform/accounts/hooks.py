"""Functions that other packages register with the accounts at start-up."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Protocol
from uuid import UUID


class SignUpHook(Protocol):
    def __call__(self, *, player: UUID, at: datetime) -> None: ...


_on_sign_up: list[SignUpHook] = []


def register_sign_up(hook: SignUpHook) -> None:
    """Register a function that is called in the transaction in which a person gets an account other than a guest's."""
    _on_sign_up.append(hook)


def signed_up(*, player: UUID, at: datetime) -> None:
    for hook in _on_sign_up:
        hook(player=player, at=at)


class AnonymousHook(Protocol):
    """Returns those of the players who have an anonymous entry, which their name elsewhere would disclose."""

    def __call__(self, players: Collection[UUID], /) -> Collection[UUID]: ...


_anonymous: list[AnonymousHook] = []


def register_anonymous(hook: AnonymousHook) -> None:
    _anonymous.append(hook)


def anonymous(players: Collection[UUID]) -> set[UUID]:
    """Return those of the players who are named to themselves, auditors, and administrators only."""
    return {player for hook in _anonymous for player in hook(players)} if players else set()
