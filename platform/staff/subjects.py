"""Names and links of subjects. Each package registers its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.urls import reverse

Names = Callable[[Collection[str]], Mapping[str, tuple[str, Any]]]
"""Returns the name of each key that exists, and the argument of its page, in at most one query."""


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    view: str
    names: Names
    permission: str


_known: dict[str, _Known] = {}


def register(kind: str, *, view: str, names: Names, permission: str = "") -> None:
    """Register the names of subjects `kind:key`, and their admin page `view`, if any, which requires the permission."""
    _known[kind] = _Known(view, names, permission)


def is_known(kind: str) -> bool:
    """Return whether subjects of this kind have names."""
    return kind in _known


def names_of(
    model: type[Model],
    column: str = "pk",
    text: Callable[..., str] = lambda key, value: str(value),
    *more: str,
    key: str = "pk",
) -> Names:
    """Return the names of rows, made from their key and one or more columns. A key may be any text."""
    field: Any = model._meta.pk if key == "pk" else model._meta.get_field(key)

    def names(keys: Collection[str]) -> Mapping[str, tuple[str, Any]]:
        valid = []
        for each in keys:
            with suppress(ValidationError):
                valid.append(field.clean(each, None))
        rows = model._default_manager.filter(**{f"{key}__in": valid}).values_list(key, "pk", column, *more)
        return {str(each): (text(str(each), *values), pk) for each, pk, *values in rows}

    return names


def called(text: str) -> Names:
    """Return one name for all subjects of a kind, without a query. Empty: their shortened ids."""
    return lambda keys: {key: (text, key) for key in keys}


def links(subjects: Iterable[str], reader: Any = None) -> dict[str, Link]:
    """Return each subject with its name, and its link if the reader may open it.

    At most one query per kind; an unknown subject is plain text.
    """
    by_kind: dict[str, set[str]] = {}
    for subject in set(subjects):
        kind, _, key = subject.partition(":")
        by_kind.setdefault(kind, set()).add(key)
    found = {}
    for kind, keys in by_kind.items():
        known = _known.get(kind)
        names = known.names(keys) if known else {}
        may = known and (not known.permission or (reader is not None and reader.has_perm(known.permission)))
        for key in keys:
            subject = f"{kind}:{key}" if key else kind
            text, argument = names.get(key, (short(subject), None))
            address = (
                reverse(known.view, args=[argument]) if known and known.view and may and key in names else ""
            )
            found[subject] = Link(text or short(subject), address)
    return found


COMMAND_LINE = "system:command-line"
"""The actor of an action that was not performed on a page."""

_parts = {"command-line": "the command line"}
register("system", view="", names=lambda keys: {key: (_parts.get(key, "the server"), key) for key in keys})


def link(subject: str) -> Link:
    return links([subject])[subject]


def short(subject: str) -> str:
    """Return a subject with the last digits of its id: the first ones of a game are those of its month.

    >>> short("game:0190b8a2-7c1e-7000-8000-000000000001")
    'game 00000001'
    """
    kind, _, key = subject.partition(":")
    return f"{kind} {key[-8:]}" if key else kind
