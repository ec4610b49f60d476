"""The kinds of notification, which packages register, and the channels by which they reach a player."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import models

Values = Mapping[str, Any]
"""What the texts of a notification name: ids, names of tournaments and games, numbers. Never a card, and never the name
of another person, which would have to be erased here too."""

Texts = Mapping[str, str]
"""A text in each of `LANGUAGES`, with the names of values in braces."""

LANGUAGES = ("en", "de", "pl")


class Channel(models.TextChoices):
    PAGE = "page", "in the page"
    EMAIL = "email", "by e-mail"
    PUSH = "push", "by push message"
    WEBHOOK = "webhook", "by the player's webhook"


def _unchanged(values: Values, language: str) -> Values:
    return values


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notification. `path` and `tag` contain values in braces; a browser shows the newest push of a tag."""

    name: str
    label: Texts
    """The name of the kind in lists of preferences."""
    title: Callable[[Values], Texts]
    text: Callable[[Values], Texts]
    path: Callable[[Values], str]
    tag: str
    channels: Collection[Channel]
    """The channels of a player who has not chosen."""
    is_current: Callable[[UUID, Values], bool]
    """Whether the player may still see it, and it still matters; asked before it leaves the page."""
    shown: Callable[[Values, str], Values] = _unchanged
    """Adds texts that depend on the language, such as amounts of money."""
    urgent: bool = False

    def render(self, values: Values, language: str) -> tuple[str, str]:
        """Return the title and the text in a language, each on one line."""
        shown = self.shown(values, language)
        title, text = (of(values)[language].format_map(shown) for of in (self.title, self.text))
        return " ".join(title.split()), " ".join(text.split())

    def link(self, values: Values) -> str:
        """Return the path of the page, with a slash at its beginning and its end."""
        return self.path(values).format_map(values)


def always(text: str) -> Callable[[Values], str]:
    return lambda values: text


def texts(**each: str) -> Callable[[Values], Texts]:
    """A text in each of `LANGUAGES` that does not depend on the values other than by naming them."""
    return lambda values: each


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    if kind.name in _kinds and _kinds[kind.name] != kind:
        raise ValueError(f"notification kind {kind.name!r} is declared twice")
    _kinds[kind.name] = kind
    return kind


def find(name: str) -> Kind | None:
    """Return the kind; None for a row of a kind that this release does not have."""
    return _kinds.get(name)


def every() -> Iterable[Kind]:
    return list(_kinds.values())


def names() -> list[str]:
    return list(_kinds)


def known_language(code: str) -> str:
    """
    >>> known_language("de-at"), known_language("fr")
    ('de', 'en')
    """
    language = code.lower()[:2]
    return language if language in LANGUAGES else LANGUAGES[0]
