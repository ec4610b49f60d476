"""Names and links of subjects. Games and tournaments register theirs; the ledger knows neither."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from django.urls import reverse

Names = Callable[[Collection[str]], Mapping[str, str]]
"""Returns the names of the keys that exist, in one query."""


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
    """Register the names of subjects `kind:key` and the admin page `view` that takes the key."""
    _known[kind] = _Known(view, names)


def links(subjects: Iterable[str]) -> dict[str, Link]:
    """Return each subject with its name and link. One query per kind; an unknown subject is plain text."""
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


def short(subject: str) -> str:
    """Return a subject with a shortened id.

    >>> short("game:0190b8a2-7c1e-7000-8000-000000000001")
    'game 0190b8a2'
    """
    kind, _, key = subject.partition(":")
    return f"{kind} {key[:8]}" if key else kind
