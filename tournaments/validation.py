"""Validation of the terms of a tournament before anything is created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from games import rules as games
from games.rules import ConfigError, Game, UnknownGame
from games.rules.scoring import NoScoring, Scoring
from ledger import splits
from ledger.money import money
from rest.fields import StrictIntegerField
from staff.columns import span
from tournaments import formats
from tournaments.errors import BadTerms
from tournaments.formats import staged, times
from tournaments.formats.protocol import Format, Snapshot, Stage
from tournaments.formats.scoring import game_scores, prizes, tiebreaks
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_ROUND,
    MOST_BANK,
    MOST_ENTRANTS,
    MOST_ROUNDS,
    Seeding,
)
from tournaments.terms import Stages, Terms, declared_fields

SLUG = staged.Stages.slug


def agree_stages(format: str, asked: Stages) -> tuple[Stage, ...]:
    """Return the stages with defaults filled in; empty for other formats. Raises BadTerms."""
    if format != SLUG:
        if asked:
            raise BadTerms("stages", f"the format {format} has none.")
        return ()
    if len(asked) != 2:
        raise BadTerms("stages", "two: a swiss or a round-robin, then a knockout or a double-knockout.")
    first, second = asked
    _check_first(first)
    if second.get("format") not in staged.SECOND:
        raise BadTerms("stages", f"the second is a {_listed_formats(staged.SECOND)}.")
    if set(second) != {"format"}:
        raise BadTerms("stages", "the second has only a format: it takes as many rounds as it needs.")
    return Stage(**first), Stage(second["format"])


def _check_first(first: Mapping[str, Any]) -> None:
    form = staged.FIRST.get(first.get("format", ""))
    if form is None:
        raise BadTerms("stages", f"the first is a {_listed_formats(staged.FIRST)}.")
    if not form.fewest_rounds <= first.get("rounds", 0) <= MOST_ROUNDS:
        raise BadTerms("stages", f"rounds of the first from {form.fewest_rounds} to {MOST_ROUNDS}.")
    most = 1 if form.slug == "swiss" else MOST_ENTRANTS // form.fewest_entrants
    if not 1 <= first.get("groups", 1) <= most:
        raise BadTerms("stages", f"groups of a {form.slug} from 1 to {most}.")
    if not 2 <= first.get("qualify", 0) <= MOST_ENTRANTS:
        raise BadTerms("stages", f"qualify, how many of all go on to the second, from 2 to {MOST_ENTRANTS}.")


def check_field(
    stages: Sequence[Stage], *, sizes: Sequence[int], seats: int, through: int, fewest: int, capacity: int
) -> None:
    """Check that the fewest entrants fill the groups and the knockout. Raises BadTerms."""
    if not stages:
        return
    first = stages[0]
    needed = max(first.qualify, first.groups * max(2, min(sizes)))
    if capacity < needed:
        raise BadTerms("capacity", f"at least {needed}, to fill the groups and the knockout.")
    if fewest < needed:
        raise BadTerms("fewest", f"at least {needed}, to fill the groups and the knockout.")
    known = Snapshot((), 0, 1, (), sizes=tuple(sizes), preferred=seats, through=through, stages=tuple(stages))
    try:
        staged.most_rounds(known)
    except CannotBeSeated as error:
        raise BadTerms("stages", f"qualify {first.qualify}: {error}.") from None


def _listed_formats(formats: Mapping[str, Any]) -> str:
    return " or a ".join(formats)


@dataclass(frozen=True, slots=True)
class Agreed:
    """Validated terms, with every default filled in and all times in UTC, and the game in its current version."""

    terms: Terms
    game: Game
    scoring: Scoring


def agree(terms: Terms) -> Agreed:
    """Validate the terms. Raises BadTerms, naming the field."""
    _check_bounds(terms)
    _check_money(terms)
    try:
        form = formats.get(terms.format)
    except formats.UnknownFormat as error:
        raise BadTerms("format", f"{error}.") from None
    try:
        game = games.get(terms.rules)
        counted = game_scores.get(terms.rules)
    except (UnknownGame, NoScoring) as error:
        raise BadTerms("rules", f"{error}.") from None
    if form.on_bets != counted.on_bets or not form.suits(game.seats):
        raise BadTerms("rules", f"{game.name} cannot be played in the format {form.name}.")
    if terms.rounds < form.fewest_rounds:
        raise BadTerms(
            "rounds", f"the format {form.slug} requires a number of rounds: at least {form.fewest_rounds}."
        )
    if terms.rounds and form.slug == SLUG:
        raise BadTerms("rounds", "each stage has its own: give 0.")
    if terms.count not in form.counts:
        raise BadTerms("count", f"in the format {form.slug}: {', '.join(form.counts)}.")
    config = _config(game, terms.config)
    _check_ends_in_time(terms, config)
    _check_no_shows(terms, game, config)
    stages = agree_stages(form.slug, terms.stages)
    _check_late_entry(terms, stages)
    _check_bets(terms, form)
    sizes = _sizes(terms, form, game)
    if terms.fewest < max(form.fewest_entrants, min(sizes)):
        raise BadTerms("fewest", "so few cannot fill a table.")
    seats, through = _seats(terms, form, game), _through(terms, form, game)
    check_field(
        stages, sizes=sizes, seats=seats, through=through, fewest=terms.fewest, capacity=terms.capacity
    )
    zone, place = _zone(terms)
    tie_breaks, rated, prizes = _tie_breaks(terms, form), _rated(terms, form, game), _prizes(terms)
    opens_at = None if terms.opens_at is None else _instant("opens_at", terms.opens_at, place)
    agreed = replace(
        terms,
        rules=game.slug,
        config=config,
        currency=settings.RACECARD_CURRENCY,
        seats=seats,
        sizes=sizes,
        through=through,
        tie_breaks=tie_breaks,
        stages=[stage.document() for stage in stages],
        rated=rated,
        prizes=prizes,
        time_zone=zone,
        opens_at=opens_at,
        check_in_at=None,
        check_in_seconds=_check_in(terms, opens_at, place),
        round_times=_round_times(terms, opens_at, place),
    )
    return Agreed(agreed, game, counted)


def _rated(terms: Terms, form: Format, game: Game) -> bool:
    """Return whether tables change ratings. Tables of one have no opponents and change none."""
    meet = _seats(terms, form, game) > 1
    for field, asked in (("rated", terms.rated), ("seeding", terms.seeding == Seeding.RATING)):
        if asked and not meet:
            raise BadTerms(field, f"tables of {game.slug} have no opponents, so they cannot be rated.")
    return meet if terms.rated is None else terms.rated


def _seats(terms: Terms, form: Format, game: Game) -> int:
    """Return the desired seats of a table; 1 for a race, which has no seats."""
    if form.on_bets:
        return 1
    possible = [seats for seats in game.seats if form.suits((seats,))]
    seats = terms.seats or min(possible)
    if seats not in possible:
        raise BadTerms("seats", f"a table of {game.slug} in this format has {_listed(possible)} seats.")
    return seats


def _sizes(terms: Terms, form: Format, game: Game) -> tuple[int, ...]:
    """Return the possible seats of a table. Pairs stay pairs by default."""
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
            raise BadTerms("through", f"the format {form.slug} has no knockout.")
        return 1
    through = terms.through or seats // 2
    if not 1 <= through < seats:
        raise BadTerms("through", f"from 1 to {seats - 1} of a table of {seats}.")
    return through


def _tie_breaks(terms: Terms, form: Format) -> tuple[str, ...]:
    if not form.counts_points:
        if terms.tie_breaks:
            raise BadTerms("tie_breaks", f"the format {form.slug} has a fixed order.")
        return ()
    names = tuple(terms.tie_breaks) or tiebreaks.DEFAULT
    known = [one.name for one in tiebreaks.catalogue()]
    if len(set(names)) != len(names) or not set(names) <= set(known):
        raise BadTerms("tie_breaks", f"each at most once, of {', '.join(known)}.")
    return names


def _check_bets(terms: Terms, form: Format) -> None:
    if not form.on_bets:
        if terms.bank:
            raise BadTerms("bank", f"the format {form.slug} has no bets.")
        return
    if not 1 <= terms.bank <= MOST_BANK:
        raise BadTerms("bank", f"at most {money(MOST_BANK, settings.PLAY_MONEY)} for each entrant.")
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
    """If all seats play at once, no one is ever absent, and only the game's time limit ends it."""
    if config.get("pace") == "race" and config["time_limit"] > terms.round_seconds:
        raise BadTerms("round_seconds", f"at least the time limit of the game, {span(config['time_limit'])}.")


def _check_no_shows(terms: Terms, game: Game, config: Mapping[str, Any]) -> None:
    """An absence can be detected only if a game waits for a certain seat."""
    if terms.no_show_seconds == 0:
        return
    if max(game.seats) < 2 or config.get("pace") == "race":
        raise BadTerms("no_show_seconds", "this game waits for no seat: give 0.")
    if terms.no_show_seconds >= terms.round_seconds:
        raise BadTerms("no_show_seconds", f"less than a round, {span(terms.round_seconds)}.")


def _check_late_entry(terms: Terms, stages: Sequence[Stage]) -> None:
    """Only a Swiss finds opponents for late entrants in every round."""
    if terms.late_until == 0:
        return
    form, rounds = (stages[0].format, stages[0].rounds) if stages else (terms.format, terms.rounds)
    if form != "swiss":
        raise BadTerms("late_until", f"the format {form} has no late entry: give 0.")
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
    for name, field in declared_fields().items():
        if isinstance(field, StrictIntegerField):
            most = terms.capacity if name in ("fewest", "fill_to") else field.max_value
            if not field.min_value <= getattr(terms, name) <= most:
                raise BadTerms(name, f"from {field.min_value} to {most}.")
    if terms.seeding not in Seeding.values:
        raise BadTerms("seeding", f"one of {', '.join(Seeding.values)}.")
    if (terms.seeding == Seeding.STANDING) != (terms.seeded_by is not None):
        raise BadTerms("seeded_by", f"a tournament where the seeding is {Seeding.STANDING}, and only there.")


def _check_money(terms: Terms) -> None:
    if terms.currency not in ("", settings.RACECARD_CURRENCY):
        raise BadTerms("currency", f"money here is {settings.RACECARD_CURRENCY}.")
    if terms.prizes and (any(share < 1 for share in terms.prizes) or sum(terms.prizes) != BASIS_POINTS):
        raise BadTerms("prizes", f"shares by place, each at least 1, that add up to {BASIS_POINTS}.")
    for field, given in (("prizes", terms.prizes), ("amounts", terms.amounts)):
        if len(given) > terms.capacity:
            raise BadTerms(field, "no more prizes than places.")
    _check_amounts(terms)


def _check_amounts(terms: Terms) -> None:
    """Check the fixed prizes. They must be covered by the guarantee, since the number of entrants is uncertain."""
    if any(amount < 1 for amount in terms.amounts):
        raise BadTerms("amounts", "fixed prizes by place, each at least 1.")
    if any(worse > better for better, worse in pairwise(terms.amounts)):
        raise BadTerms("amounts", "no place pays more than a better one.")
    fees = terms.fewest * terms.fee
    sure = prizes.overlay(fees, rake=terms.rake, guarantee=terms.guarantee) + splits.rake(fees, terms.rake)[1]
    if sum(terms.amounts) > sure:
        currency = terms.currency or settings.RACECARD_CURRENCY
        promised, covered = money(sum(terms.amounts), currency), money(sure, currency)
        raise BadTerms(
            "amounts",
            f"{promised}, but only {covered} are sure: guarantee more, or ask for more fewest or fee.",
        )


def _prizes(terms: Terms) -> tuple[int, ...]:
    if terms.prizes:
        return tuple(terms.prizes)
    return tuple(prizes.shares_like(terms.amounts)) if terms.amounts else (BASIS_POINTS,)


def _zone(terms: Terms) -> tuple[str, ZoneInfo]:
    name = terms.time_zone or settings.RACECARD_TIME_ZONE
    try:
        return name, times.zone(name)
    except times.UnknownZone as error:
        raise BadTerms("time_zone", f"{error}.") from None


def _instant(field: str, time: datetime, place: ZoneInfo) -> datetime:
    try:
        return times.instant(time, place)
    except times.BadTime as error:
        raise BadTerms(field, f"{error}.") from None


def _check_in(terms: Terms, opens_at: datetime | None, place: ZoneInfo) -> int:
    """Return the length of the check-in in seconds: as given, or from its own time until the start."""
    field = "check_in_seconds" if terms.check_in_at is None else "check_in_at"
    if not terms.check_in_seconds and terms.check_in_at is None:
        return 0
    if opens_at is None:
        raise BadTerms(field, "a check-in requires opens_at.")
    if terms.check_in_at is None:
        return terms.check_in_seconds
    if terms.check_in_seconds:
        raise BadTerms(field, "give either the start or the length of the check-in, not both.")
    length = opens_at - _instant(field, terms.check_in_at, place)
    if not timedelta() < length <= timedelta(seconds=LONGEST_ROUND):
        raise BadTerms(field, f"must be before opens_at, by at most {span(LONGEST_ROUND)}.")
    return int(length.total_seconds())


def _round_times(terms: Terms, opens_at: datetime | None, place: ZoneInfo) -> list[tuple[int, datetime]]:
    """Return the fixed opening times in UTC, in the order of the rounds."""
    fixed: dict[int, datetime] = {}
    last = terms.rounds or MOST_ROUNDS
    for number, time in terms.round_times:
        if not 2 <= number <= last or number in fixed:
            raise BadTerms(
                "round_times", f"name each round once, from 2 to {last}; round 1 opens at opens_at."
            )
        fixed[number] = _instant("round_times", time, place)
    in_order = sorted(fixed.items())
    moments = [*(() if opens_at is None else (opens_at,)), *(at for _, at in in_order)]
    if any(later <= earlier for earlier, later in pairwise(moments)):
        raise BadTerms("round_times", "each round must be later than those before it.")
    return in_order
