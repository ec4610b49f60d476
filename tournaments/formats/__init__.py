"""The formats of tournaments: pure functions from a snapshot to tables, deals, and standings."""

from __future__ import annotations

from tournaments.formats.duplicate import Duplicate
from tournaments.formats.meeting import Meeting
from tournaments.formats.opposed import DoubleKnockout, Knockout, RoundRobin, Swiss
from tournaments.formats.protocol import Format
from tournaments.formats.staged import Stages


class UnknownFormat(LookupError):
    """There is no format of that name."""


_formats: dict[str, Format] = {
    known.slug: known
    for known in (Duplicate(), Swiss(), RoundRobin(), Knockout(), DoubleKnockout(), Stages(), Meeting())
}


def get(slug: str) -> Format:
    try:
        return _formats[slug]
    except KeyError:
        raise UnknownFormat(f"no format {slug!r}; known are {', '.join(sorted(_formats))}") from None


def catalogue() -> tuple[Format, ...]:
    return tuple(_formats[slug] for slug in sorted(_formats))
