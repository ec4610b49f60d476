"""The terms of a tournament: what an organizer asks for, judged whole before anything is created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from games import rules as games
from games.rules import ConfigError, Game, UnknownGame
from tournaments import formats
from tournaments.formats import scoring
from tournaments.formats.scoring import Scoring
from tournaments.models import BASIS_POINTS, LONGEST_ROUND, MOST_ENTRANTS, MOST_GAMES, MOST_ROUNDS
from tournaments.problems import BadTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Money in pence, prizes and rake in basis points, times in seconds.

    `opens_at` None: the organizer starts the first round. `fill_to`: bots enter at the start until there are so many.
    """

    name: str
    format: str
    rules: str
    config: Mapping[str, Any]
    rounds: int
    currency: str
    games: int = 1
    opens_at: datetime | None = None
    round_seconds: int = 3600
    gap_seconds: int = 0
    capacity: int = 1000
    fewest: int = 2
    fill_to: int = 0
    fee: int = 0
    prizes: Sequence[int] = (BASIS_POINTS,)
    rake: int = 0


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the terms come to: the game in its present version, its whole config, how its outcomes count."""

    game: Game
    config: dict[str, Any]
    scoring: Scoring


def agree(terms: Terms) -> Agreed:
    """Raises BadTerms, naming the field."""
    _check_bounds(terms)
    _check_money(terms)
    try:
        form = formats.get(terms.format)
    except formats.UnknownFormat as error:
        raise BadTerms("format", f"{error}.") from None
    try:
        game = games.get(terms.rules)
        counted = scoring.get(terms.rules)
    except (UnknownGame, scoring.NoScoring) as error:
        raise BadTerms("rules", f"{error}.") from None
    if not form.suits(game.seats):
        raise BadTerms("rules", f"{game.slug} cannot be played in the format {form.slug}.")
    if terms.fewest < form.fewest_entrants:
        raise BadTerms("fewest", f"the format {form.slug} needs at least {form.fewest_entrants} entrants.")
    return Agreed(game, _config(game, terms.config), counted)


def _config(game: Game, raw: Mapping[str, Any]) -> dict[str, Any]:
    try:
        config = game.config_json(game.parse_config(raw))
    except ConfigError as error:
        raise BadTerms("config", f"{error}.") from None
    if config.get("stake", 0):
        raise BadTerms("config", 'games of a tournament are played for points: give "stake": 0.')
    return config


def _check_bounds(terms: Terms) -> None:
    if not terms.name.strip() or len(terms.name) > 100 or not terms.name.isprintable():
        raise BadTerms("name", "1 to 100 printable characters.")
    bounds = {
        "rounds": (1, MOST_ROUNDS),
        "games": (1, MOST_GAMES),
        "round_seconds": (1, LONGEST_ROUND),
        "gap_seconds": (0, LONGEST_ROUND),
        "capacity": (2, MOST_ENTRANTS),
        "fewest": (2, terms.capacity),
        "fill_to": (0, terms.capacity),
        "fee": (0, 10**9),
        "rake": (0, BASIS_POINTS - 1),
    }
    for field, (least, most) in bounds.items():
        if not least <= getattr(terms, field) <= most:
            raise BadTerms(field, f"from {least} to {most}.")
    if terms.opens_at is not None and terms.opens_at.tzinfo is None:
        raise BadTerms("opens_at", "a time with its zone.")


def _check_money(terms: Terms) -> None:
    if terms.currency != settings.RACECARD_CURRENCY:
        raise BadTerms("currency", f"money here is {settings.RACECARD_CURRENCY}.")
    if any(share < 1 for share in terms.prizes) or sum(terms.prizes) != BASIS_POINTS:
        raise BadTerms("prizes", f"shares by place, each at least 1, that add up to {BASIS_POINTS}.")
    if len(terms.prizes) > terms.capacity:
        raise BadTerms("prizes", "no more prizes than places.")
