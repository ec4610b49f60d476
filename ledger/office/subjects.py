"""What a subject of the books is called and where it is shown. Games and tournaments tell; the ledger knows neither."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

Names = Callable[[Collection[str]], Mapping[str, str]]
"""The names of those of the keys that there are, asked for all at once."""


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    view: str
    names: Names


_known: dict[str, _Known] = {}


def register(kind: str, *, view: str, names: Names) -> None:
    """Say what `kind:key` is: `view` is the name of an admin page that takes the key alone."""
    _known[kind] = _Known(view, names)


def links(subjects: Iterable[str]) -> dict[str, Link]:
    """Each subject with its name and address; one question per kind, and the plain text of what nobody knows."""
    by_kind: dict[str, set[str]] = {}
    for subject in set(subjects):
        kind, _, key = subject.partition(":")
        by_kind.setdefault(kind, set()).add(key)
    found = {}
    for kind, keys in by_kind.items():
        known = _known.get(kind)
        names = known.names(keys) if known else {}
        for key in keys:
            subject = f"{kind}:{key}" if key else kind
            address = reverse(known.view, args=[key]) if known and key in names else ""
            found[subject] = Link(names.get(key, short(subject)), address)
    return found


def link(subject: str) -> Link:
    return links([subject])[subject]


def uuids(keys: Iterable[str]) -> list[UUID]:
    """Those of the keys that are ids; a subject is an opaque text, and may hold anything."""
    found = []
    for key in keys:
        with suppress(ValueError):
            found.append(UUID(key))
    return found


def short(subject: str) -> str:
    """A subject with its id cut to what tells it from others on a page.

    >>> short("game:0190b8a2-7c1e-7000-8000-000000000001")
    'game 0190b8a2'
    """
    kind, _, key = subject.partition(":")
    return f"{kind} {key[:8]}" if key else kind
