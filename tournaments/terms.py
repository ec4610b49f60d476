"""The terms of a tournament: what an organizer asks for, judged whole before anything is created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.conf import settings

from games import rules as games
from games.rules import ConfigError, Game, UnknownGame
from ledger import splits
from tournaments import formats, schedules, terms_stages
from tournaments.formats import prizes, scoring, tiebreaks
from tournaments.formats.protocol import TOTAL, Count, Format
from tournaments.formats.scoring import Scoring
from tournaments.formats.stage import Stage
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_ROUND,
    MOST_BANK,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_GUARANTEE,
    MOST_ROUNDS,
    Seeding,
)
from tournaments.models_waiting import MOST_WAITING
from tournaments.problems import BadTerms
from tournaments.schedules import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Money in pence, prizes and rake in basis points, times in seconds.

    `amounts` are fixed prizes by place, at most what the guarantee or the fees of the `fewest` bring; `prizes` are the
    shares of what they leave (empty: in proportion to the amounts; without these, all to the first). `guarantee`: the
    prizes come to that at least.

    `seats` a table should have and `sizes` it may have (0 and empty: the fewest the game has, and all that it has),
    `through` how many of a knockout's table go on (0: half of them), `count` what the results of a shared deal come to.

    `seeded_by` the earlier tournament whose final standings seed this one. `rated` None: where opponents meet.

    `opens_at` None: the organizer starts the first round. A time without an offset is wall time in `time_zone` (IANA;
    empty: the installation's). `round_times`: rounds from the second on that open at a time of their own, whatever
    the gap. `fill_to`: bots enter at the start until there are so many.
    """

    name: str
    format: str
    rules: str
    config: Mapping[str, Any]
    rounds: int
    """0: as many as the format needs, where it can tell."""
    currency: str
    seats: int = 0
    sizes: Sequence[int] = ()
    through: int = 0
    count: Count = TOTAL
    tie_breaks: Sequence[str] = ()
    stages: terms_stages.Asked = ()
    seeding: str = Seeding.ENTRY
    seeded_by: UUID | None = None
    rated: bool | None = None
    games: int = 1
    bank: int = 0
    """Play money that everybody bets with, where the format is one of bets."""
    opens_at: datetime | None = None
    round_seconds: int = 3600
    gap_seconds: int = 0
    no_show_seconds: int = 0
    """0: nobody forfeits."""
    check_in_seconds: int = 0
    """Before `opens_at`; 0: nobody need check in."""
    check_in_at: datetime | None = None
    """When the check-in begins, instead of how long it is."""
    time_zone: str = ""
    round_times: Sequence[tuple[int, datetime]] = ()
    late_until: int = 0
    """The last round that can be entered late; 0: none."""
    capacity: int = 1000
    waiting_list: int = 0
    """How many may wait for a place; 0: nobody."""
    fewest: int = 2
    fill_to: int = 0
    fee: int = 0
    prizes: Sequence[int] = ()
    rake: int = 0
    amounts: Sequence[int] = ()
    guarantee: int = 0


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the terms come to: the game in its present version, its whole config, how its outcomes count."""

    game: Game
    config: dict[str, Any]
    scoring: Scoring
    seats: int
    sizes: tuple[int, ...]
    through: int
    tie_breaks: tuple[str, ...]
    stages: tuple[Stage, ...]
    rated: bool
    prizes: tuple[int, ...]
    schedule: Schedule


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
    if form.on_bets != counted.on_bets or not form.suits(game.seats):
        raise BadTerms("rules", f"{game.slug} cannot be played in the format {form.slug}.")
    if terms.rounds < form.fewest_rounds:
        raise BadTerms(
            "rounds", f"the format {form.slug} needs to be told how many: at least {form.fewest_rounds}."
        )
    if terms.rounds and form.slug == terms_stages.SLUG:
        raise BadTerms("rounds", "each stage has its own: give 0.")
    if terms.count not in form.counts:
        raise BadTerms("count", f"in the format {form.slug}: {', '.join(form.counts)}.")
    config = _config(game, terms.config)
    _check_ends_in_time(terms, config)
    _check_no_shows(terms, game, config)
    stages = terms_stages.agree(form.slug, terms.stages)
    _check_late_entry(terms, stages)
    _check_bets(terms, form)
    sizes = _sizes(terms, form, game)
    if terms.fewest < max(form.fewest_entrants, min(sizes)):
        raise BadTerms("fewest", "so few cannot fill a table.")
    seats, through = _seats(terms, form, game), _through(terms, form, game)
    terms_stages.check_field(
        stages, sizes=sizes, seats=seats, through=through, fewest=terms.fewest, capacity=terms.capacity
    )
    return Agreed(
        game,
        config,
        counted,
        seats=seats,
        sizes=sizes,
        through=through,
        tie_breaks=_tie_breaks(terms, form),
        stages=stages,
        rated=_rated(terms, form, game),
        prizes=_prizes(terms),
        schedule=schedules.agree(terms),
    )


def _rated(terms: Terms, form: Format, game: Game) -> bool:
    """Whether ratings follow from the tables. They say who beats whom, so at tables of one they say nothing."""
    meet = _seats(terms, form, game) > 1
    for field, asked in (("rated", terms.rated), ("seeding", terms.seeding == Seeding.RATING)):
        if asked and not meet:
            raise BadTerms(field, f"nobody meets an opponent at a table of {game.slug}, so nobody is rated.")
    return meet if terms.rated is None else terms.rated


def _seats(terms: Terms, form: Format, game: Game) -> int:
    """How many seats a table should have; of a race's, where nobody sits, it says nothing."""
    if form.on_bets:
        return 1
    possible = [seats for seats in game.seats if form.suits((seats,))]
    seats = terms.seats or min(possible)
    if seats not in possible:
        raise BadTerms("seats", f"a table of {game.slug} in this format has {_listed(possible)} seats.")
    return seats


def _sizes(terms: Terms, form: Format, game: Game) -> tuple[int, ...]:
    """How many seats a table may have. Pairs stay pairs unless the organizer says otherwise."""
    seats = _seats(terms, form, game)
    if form.on_bets:
        return (seats,)
    possible = tuple(size for size in game.seats if form.suits((size,)))
    sizes = tuple(terms.sizes) or ((2,) if seats == 2 else possible)
    if not set(sizes) <= set(possible) or seats not in sizes or len(set(sizes)) != len(sizes):
        raise BadTerms("sizes", f"each one of {_listed(possible)}, once, and {seats} among them.")
    return tuple(sorted(sizes))


def _through(terms: Terms, form: Format, game: Game) -> int:
    seats = _seats(terms, form, game)
    if not form.knocks_out:
        if terms.through:
            raise BadTerms("through", f"nobody is knocked out in the format {form.slug}.")
        return 1
    through = terms.through or seats // 2
    if not 1 <= through < seats:
        raise BadTerms("through", f"from 1 to {seats - 1} of a table of {seats}.")
    return through


def _tie_breaks(terms: Terms, form: Format) -> tuple[str, ...]:
    if not form.counts_points:
        if terms.tie_breaks:
            raise BadTerms("tie_breaks", f"the format {form.slug} has an order of its own.")
        return ()
    names = tuple(terms.tie_breaks) or tiebreaks.DEFAULT
    known = [one.name for one in tiebreaks.catalogue()]
    if len(set(names)) != len(names) or not set(names) <= set(known):
        raise BadTerms("tie_breaks", f"each at most once, of {', '.join(known)}.")
    return names


def _check_bets(terms: Terms, form: Format) -> None:
    if not form.on_bets:
        if terms.bank:
            raise BadTerms("bank", f"nobody bets in the format {form.slug}.")
        return
    if not 1 <= terms.bank <= MOST_BANK:
        raise BadTerms("bank", f"from 1 to {MOST_BANK} pence of play money for each entrant.")
    given = {
        "seats": terms.seats,
        "sizes": terms.sizes,
        "no_show_seconds": terms.no_show_seconds,
        "games": terms.games - 1,
    }
    for field in (name for name, value in given.items() if value):
        raise BadTerms(
            field, f"not in the format {form.slug}: one race a round, at which all are from the start."
        )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _check_ends_in_time(terms: Terms, config: Mapping[str, Any]) -> None:
    """Where everybody plays at once nobody is ever absent: then only the game's own limit of time can end it."""
    if config.get("pace") == "race" and config["time_limit"] > terms.round_seconds:
        raise BadTerms("round_seconds", f"at least the time_limit of the game, {config['time_limit']}.")


def _check_no_shows(terms: Terms, game: Game, config: Mapping[str, Any]) -> None:
    """Who is absent can be told only where a game stands still until a certain seat has moved."""
    if terms.no_show_seconds == 0:
        return
    if max(game.seats) < 2 or config.get("pace") == "race":
        raise BadTerms("no_show_seconds", "nobody is waited for in this game: give 0.")
    if terms.no_show_seconds >= terms.round_seconds:
        raise BadTerms("no_show_seconds", f"less than round_seconds, {terms.round_seconds}.")


def _check_late_entry(terms: Terms, stages: Sequence[Stage]) -> None:
    """Only a Swiss finds opponents for somebody new in every round."""
    if terms.late_until == 0:
        return
    form, rounds = (stages[0].format, stages[0].rounds) if stages else (terms.format, terms.rounds)
    if form != "swiss":
        raise BadTerms("late_until", f"nobody can enter the format {form} late: give 0.")
    if not 2 <= terms.late_until <= rounds:
        raise BadTerms("late_until", "0, or a round from the second to the last of the Swiss.")


def _config(game: Game, raw: Mapping[str, Any]) -> dict[str, Any]:
    try:
        config = game.config_json(game.parse_config(raw))
    except ConfigError as error:
        raise BadTerms("config", f"{error}.") from None
    if config.get("stake", 0):
        raise BadTerms("config", 'games of a tournament are played for points: give "stake": 0.')
    if config.get("suits") == "chosen":
        raise BadTerms("config", 'the races of a tournament have no seats: give "suits": "none".')
    return config


def _check_bounds(terms: Terms) -> None:
    if not terms.name.strip() or len(terms.name) > 100 or not terms.name.isprintable():
        raise BadTerms("name", "1 to 100 printable characters.")
    bounds = {
        "rounds": (0, MOST_ROUNDS),
        "games": (1, MOST_GAMES),
        "round_seconds": (1, LONGEST_ROUND),
        "gap_seconds": (0, LONGEST_ROUND),
        "no_show_seconds": (0, LONGEST_ROUND),
        "check_in_seconds": (0, LONGEST_ROUND),
        "capacity": (2, MOST_ENTRANTS),
        "waiting_list": (0, MOST_WAITING),
        "fewest": (2, terms.capacity),
        "fill_to": (0, terms.capacity),
        "fee": (0, 10**9),
        "rake": (0, BASIS_POINTS - 1),
        "guarantee": (0, MOST_GUARANTEE),
    }
    for field, (least, most) in bounds.items():
        if not least <= getattr(terms, field) <= most:
            raise BadTerms(field, f"from {least} to {most}.")
    if terms.seeding not in Seeding.values:
        raise BadTerms("seeding", f"one of {', '.join(Seeding.values)}.")
    if (terms.seeding == Seeding.STANDING) != (terms.seeded_by is not None):
        raise BadTerms("seeded_by", f"a tournament where the seeding is {Seeding.STANDING}, and only there.")


def _check_money(terms: Terms) -> None:
    if terms.currency != settings.RACECARD_CURRENCY:
        raise BadTerms("currency", f"money here is {settings.RACECARD_CURRENCY}.")
    if terms.prizes and (any(share < 1 for share in terms.prizes) or sum(terms.prizes) != BASIS_POINTS):
        raise BadTerms("prizes", f"shares by place, each at least 1, that add up to {BASIS_POINTS}.")
    for field, given in (("prizes", terms.prizes), ("amounts", terms.amounts)):
        if len(given) > terms.capacity:
            raise BadTerms(field, "no more prizes than places.")
    _check_amounts(terms)


def _check_amounts(terms: Terms) -> None:
    """Nothing fixed is promised that might not be there: so few may come that only the guarantee is sure."""
    if any(amount < 1 for amount in terms.amounts):
        raise BadTerms("amounts", "fixed prizes by place, each at least 1.")
    if any(worse > better for better, worse in pairwise(terms.amounts)):
        raise BadTerms("amounts", "no place pays more than a better one.")
    fees = terms.fewest * terms.fee
    sure = prizes.overlay(fees, rake=terms.rake, guarantee=terms.guarantee) + splits.rake(fees, terms.rake)[1]
    if sum(terms.amounts) > sure:
        raise BadTerms(
            "amounts",
            f"{sum(terms.amounts)} pence, but only {sure} are sure: guarantee more, or ask for more fewest or fee.",
        )


def _prizes(terms: Terms) -> tuple[int, ...]:
    if terms.prizes:
        return tuple(terms.prizes)
    return tuple(prizes.shares_like(terms.amounts)) if terms.amounts else (BASIS_POINTS,)
