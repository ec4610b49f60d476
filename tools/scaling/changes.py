"""The assumptions that are changed one at a time, to see how much the answer depends on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tools.scaling.figures import Assumptions, Game, Site

Change = Callable[[Assumptions, float], Assumptions]
"""Returns the assumptions with one of them multiplied by a factor."""


def _site(**changed: Callable[[Site, float], float]) -> Change:
    def change(given: Assumptions, factor: float) -> Assumptions:
        values: dict[str, Any] = {name: value(given.site, factor) for name, value in changed.items()}
        return replace(given, site=replace(given.site, **values))

    return change


def _games(changed: Callable[[str, Game, float], Game]) -> Change:
    def change(given: Assumptions, factor: float) -> Assumptions:
        games = {name: changed(name, game, factor) for name, game in given.games.items()}
        return replace(given, games=games)

    return change


def _share_of(rules: str) -> Change:
    """Change the share of one game; the others keep their proportions."""

    def change(given: Assumptions, factor: float) -> Assumptions:
        wanted = min(1.0, given.games[rules].share * factor)
        rest = (1 - wanted) / (1 - given.games[rules].share)
        games = {
            name: replace(game, share=wanted if name == rules else game.share * rest)
            for name, game in given.games.items()
        }
        return replace(given, games=games)

    return change


CHANGES: Mapping[str, Change] = {
    "share of accounts online": _site(online=lambda site, factor: site.online * factor),
    "seconds of thinking": _games(lambda name, game, factor: replace(game, think=game.think * factor)),
    "share of those online who play": _site(playing=lambda site, factor: min(1.0, site.playing * factor)),
    "pages that a person opens": _site(reads_a_minute=lambda site, factor: site.reads_a_minute * factor),
    "guests": _site(guests=lambda site, factor: site.guests * factor),
    "watchers of a race": _games(
        lambda name, game, factor: (
            replace(game, watchers=game.watchers * factor) if name == "racing-aces" else game
        )
    ),
    "share of Racing Aces": _share_of("racing-aces"),
    "share of Racing Demons": _share_of("racing-demons"),
    "share of Ace Race": _share_of("ace-race"),
    "events of bots and clocks": _games(
        lambda name, game, factor: replace(game, others=game.others * factor)
    ),
    "moves of a game": _games(lambda name, game, factor: replace(game, moves=game.moves * factor)),
}
