"""The formats of tournaments: pure functions from a snapshot to tables, deals, and standings."""

from __future__ import annotations

from functools import cache
from typing import cast

from games.rules import plugins
from tournaments.formats.protocol import BaseFormat, Format


class UnknownFormat(LookupError):
    """There is no format of that name."""


@cache
def _formats() -> dict[str, Format]:
    """Return this project's formats and those of plug-ins (entry points `racecard.formats`). Raises PluginError."""
    return cast("dict[str, Format]", plugins.load(plugins.FORMATS, BaseFormat))


def get(slug: str) -> Format:
    """Return the format of that name. Raises UnknownFormat."""
    try:
        return _formats()[slug]
    except KeyError:
        raise UnknownFormat(f"no format {slug!r}; known are {', '.join(sorted(_formats()))}") from None


def catalogue() -> tuple[Format, ...]:
    return tuple(form for _, form in sorted(_formats().items()))
