"""Games and formats that are registered as entry points of installed distributions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeVar

Kind = TypeVar("Kind")

GAMES = "racecard.games"
FORMATS = "racecard.formats"

PROJECT = "racecard"
CHECKOUT = Path(__file__).resolve().parents[2] / "pyproject.toml"


LONGEST_NAME = 40
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch


def is_name(text: str) -> bool:
    """Return whether a game, format, or stake table can have this name, which is part of URLs."""
    return len(text) <= LONGEST_NAME and _NAME(text) is not None


class PluginError(Exception):
    """A plug-in that cannot be used. The server does not start, because its games could not be read."""


def load(group: str, kind: type[Kind]) -> dict[str, Kind]:
    """Return the objects of a group by name, those of this project first.

    An entry point is an object, or a class that is called without arguments, with the entry point's name as `slug`.
    Raises PluginError for one that cannot be imported, is of another type, or has the name of an earlier one.
    """
    found: dict[str, Kind] = {}
    sources: dict[str, str] = {}
    for point in _registered(group):
        source = _source(point)
        if not is_name(point.name):
            raise PluginError(
                f"{group}: {point.name!r} of {source} is no name of up to {LONGEST_NAME} lower-case letters, digits, "
                "and single hyphens"
            )
        if point.name in found:
            raise PluginError(
                f"{group}: {point.name!r} is registered by {sources[point.name]} and by {source}"
            )
        try:
            loaded = point.load()
            if isinstance(loaded, type):
                loaded = loaded()
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise PluginError(f"{group}: {point.name!r} of {source} cannot be imported ({why})") from error
        if not isinstance(loaded, kind):
            raise PluginError(f"{group}: {point.name!r} of {source} is no {kind.__name__}")
        slug = getattr(loaded, "slug", None)
        if slug != point.name:
            raise PluginError(f"{group}: {point.name!r} of {source} has the slug {slug!r}")
        found[point.name], sources[point.name] = loaded, source
    return found


def _registered(group: str) -> Iterable[EntryPoint]:
    """A checkout is upgraded in place, so that its declaration is newer than its installed metadata."""
    own = _declared(group)
    others = [point for point in _installed() if point.group == group]
    if own:
        others = [point for point in others if point.dist is None or point.dist.name != PROJECT]
    return [*own, *sorted(others, key=lambda point: point.name)]


@cache
def _installed() -> tuple[EntryPoint, ...]:
    """The metadata of all distributions takes milliseconds to read."""
    known = entry_points()
    return tuple(point for group in (GAMES, FORMATS) for point in known.select(group=group))


@cache
def _checkout() -> dict[str, dict[str, str]]:
    if not CHECKOUT.is_file():
        return {}
    project = tomllib.loads(CHECKOUT.read_text("utf-8"))["project"]
    declared: dict[str, dict[str, str]] = project["entry-points"]
    return declared


def _declared(group: str) -> list[EntryPoint]:
    return [EntryPoint(name, value, group) for name, value in _checkout().get(group, {}).items()]


def _source(point: EntryPoint) -> str:
    distribution = PROJECT if point.dist is None else f"{point.dist.name} {point.dist.version}"
    return f"{distribution} ({point.value})"
