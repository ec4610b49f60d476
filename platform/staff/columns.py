"""Columns of lists and records that show stored values in words: states, subjects, and people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from staff import subjects

NOTHING = "–"

MEANING = {
    "good": [
        *(
            "open",
            "won",
            "settled",
            "finished",
            "paid",
            "approved",
            "delivered",
            "in-force",
            "in effect",
            "no faults",
            "sent",
            "divided",
        ),
        *("running", "published", "done", "active"),
    ],
    "warn": [
        *("nearly full", "unfunded", "settling", "held", "requested", "checked", "pending", "waiting"),
        *("proposed", "appealed", "suspended"),
    ],
    "bad": ["full", "failed", "rejected", "stalled", "urgent", "faults"],
}
_TONES = {state: tone for tone, states in MEANING.items() for state in states}


def in_words(name: str) -> str:
    """Return the name of an action, a job, or an event in words.

    >>> in_words("draft-tournament"), in_words("tournaments.open_round")
    ('Draft tournament', 'Tournaments: open round')
    """
    return name.replace(".", ": ").replace("_", " ").replace("-", " ").capitalize()


def state(text: str, label: str = "") -> SafeString:
    """Return a state as a coloured label with its word, or with the label."""
    return format_html('<span class="state state-{}">{}</span>', _TONES.get(text, "quiet"), label or text)


def state_column(name: str) -> Any:
    """Return a column with the state of a row, `name`, in the words of its choices."""

    @admin.display(description=name)
    def column(row: Any) -> SafeString | str:
        value = getattr(row, name)
        label = getattr(row, f"get_{name}_display", lambda: value)()
        return state(str(value), str(label).lower()) if value else ""

    column.__name__ = name
    return column


_UNITS = (("hour", 3600), ("minute", 60), ("second", 1))


def span(seconds: int) -> str:
    """Return a length of time in words.

    >>> span(5400)
    '1 hour 30 minutes'
    """
    words = []
    for unit, size in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(words) or "none"


def seconds_column(name: str, title: str, without: str = "none") -> Any:
    """Return a column with a number of seconds in words; `without` for None."""

    @admin.display(description=title)
    def column(row: Any) -> str:
        found = getattr(row, name)
        return without if found is None else span(found)

    column.__name__ = name
    return column


def subject_link(text: str, links: Mapping[str, subjects.Link]) -> SafeString:
    """Return a subject by its name, as a link if it has a page that the reader may open."""
    link = links.get(text, subjects.Link(subjects.short(text)))
    if not link.url:
        return format_html('<span title="{}">{}</span>', text, link.text)
    return format_html('<a href="{}" title="{}">{}</a>', link.url, text, link.text)


def subject_column(
    name: str,
    title: str = "",
    of: Callable[[Any], str] | None = None,
    before: Callable[[Any], str] | None = None,
) -> Any:
    """Return a column that names and links a subject: the text `name` of a row, or what `of` returns.

    An id is that of a player. `before` returns a text that the cell shows before the subject. `name_subjects` loads
    the names of a page of a list at once.
    """

    def subject_of(row: Any) -> str:
        found = of(row) if of else attrgetter(name)(row)
        return f"player:{found}" if isinstance(found, UUID) else found or ""

    @admin.display(description=title or name.replace("_", " "))
    def column(row: Any) -> SafeString | str:
        text, first = subject_of(row), before(row) if before else ""
        if not text:
            return first
        links = getattr(row, "subject_links", None)
        link = subject_link(
            text, subjects.links([text], getattr(row, "reader", None)) if links is None else links
        )
        return format_html("{}: {}", first, link) if first else link

    column.__name__ = name.replace(".", "_")
    column.subject_of = subject_of  # type: ignore[attr-defined]
    return column


def name_subjects(rows: Sequence[Any], columns: Iterable[Any], reader: Any) -> None:
    """Load the names that subject columns show, in one query for each kind of subject."""
    of = [column.subject_of for column in columns if hasattr(column, "subject_of")]
    if of:
        links = subjects.links((text for row in rows for each in of if (text := each(row))), reader)
        for row in rows:
            row.subject_links = links


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> SafeString:
    """Return an HTML table, or "none" without rows. Texts are escaped."""
    body = format_html_join("", "<tr>{}</tr>", ((_cells(row),) for row in rows))
    if not body:
        return SafeString("none")
    head = format_html_join("", "<th>{}</th>", ((capfirst(text),) for text in heads))
    label = ", ".join(text for text in heads if text)
    return format_html(
        '<div class="scrolls" role="group" aria-label="{}" tabindex="0">'
        '<table class="figures"><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        *(label, head, body),
    )


def _cells(row: Sequence[object]) -> SafeString:
    return format_html_join("", "<td>{}</td>", ((NOTHING if cell in ("", None) else cell,) for cell in row))


WORDED: dict[Any, Any] = {
    **{name: state_column(name) for name in ("status", "state")},
    "subject": subject_column("subject"),
    "actor": subject_column("actor", "by"),
    **{
        name: subject_column(name)
        for name in ("opened_by", "made_by", "paid_by", "released_by", "resolved_by", "requested_by")
    },
}
"""The columns of fields that have the same name, and are shown in words, on all staff pages."""

TECHNICAL = frozenset(
    {
        *("id", "uuid", "key", "slug", "position", "posting", "leg", "event", "opened_event", "closed_event"),
        *("version", "rules_version", "commitment", "tournament_commitment", "entropy", "client_seed"),
        *("payload", "settlement", "division"),
    }
)
"""Fields that a record shows folded, below the others."""
