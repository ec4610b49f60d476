"""`racecard simulate`: play games between bots, write them as bundles that verify, and print statistics."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table as Grid

from config.cli.options import AsJson, Config, Jobs, Seed, read_config, suggested
from config.parallel import cores, progress, ranges, spread
from games import bots
from games.bots import simulation
from games.rules import ConfigError, Game, UnknownGame, get
from games.rules import table as tables
from games.rules.table import Table

LARGEST_PART = 50
"""Games that a process plays between reports."""


class Plan(NamedTuple):
    """The parameters of the games: plain values, from which every process makes the rest."""

    slug: str
    version: int
    config: dict[str, Any]
    players: tuple[str, ...]
    """The bot of each seat, or of the operator where there are no seats."""
    seats: int
    seed: str
    out: Path | None


def simulate(
    slug: Annotated[
        str, typer.Argument(help="The game, as named in docs/games/; @version selects an older version.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The folder for one bundle per game; default: none is written.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="The number of games.")] = 100,
    seed: Seed = "1",
    config: Config = None,
    seats: Annotated[int | None, typer.Option(help="The number of seats; default: the fewest.")] = None,
    bot: Annotated[
        str,
        typer.Option(
            "--bots",
            help="The bot of every seat; several, separated by commas, take the seats in turn from seat 0.",
        ),
    ] = bots.DEFAULT,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Play games between bots and print statistics; with --out each game is written as a bundle."""
    game, plan = _plan(slug, config or [], seats, bot, seed, out)
    processes = min(jobs or cores(), games)
    tally = Tally(plan.players)
    try:
        with progress() as bars:
            bar = bars.add_task(game.name, total=games)
            parts = ranges(games, jobs=processes, largest=LARGEST_PART)
            for found in spread(partial(played, plan), parts, jobs=processes):
                tally.merge(found)
                bars.advance(bar, found.games)
    except OSError as error:  # the folder is full or not writable
        raise typer.BadParameter(f"{error.filename or out}: {error.strerror}") from error
    if as_json:
        about = {"rules": game.slug, "rules_version": game.version, "config": plan.config, "seed": seed}
        typer.echo(json.dumps({**about, **tally.document()}, indent=1))
        return
    console = Console(highlight=False)
    for grid in tally.grids(f"{games} games of {game.name}, seed {seed}, {bot} bots"):
        console.print(grid)


def played(plan: Plan, numbers: range) -> Tally:
    """The statistics of these games. Their bundles are written as they end and are not held in memory."""
    game = get(plan.slug, plan.version)
    config = game.parse_config(plan.config)
    players = [bots.get(plan.slug, name) for name in plan.players]
    tally = Tally(plan.players)
    for number in numbers:
        if plan.out is None:
            table = simulation.play(
                game, config, seats=plan.seats, bots=players, seed=plan.seed, number=number
            )
        else:
            done = simulation.simulate(
                game, config, seats=plan.seats, bots=players, seed=plan.seed, number=number
            )
            table = done.table
            _write(plan.out / f"{plan.slug}-{number:06d}.json", done.bundle)
        tally.add(table)
    return tally


def _plan(
    slug: str, config: list[str], seats: int | None, bot: str, seed: str, out: Path | None
) -> tuple[Game, Plan]:
    """Check the options before anything is written. Raises BadParameter."""
    try:
        name, _, version = slug.partition("@")
        game = get(name, _version(version))
        settings = game.parse_config({**suggested(game), **read_config(config)})
        names = bot.split(",")
        for each in names:
            bots.get(game.slug, each)
        number_of_seats = min(game.seats) if seats is None else seats
        if number_of_seats not in game.seats:
            raise ConfigError("", f"{game.name} is played with {', '.join(map(str, game.seats))} seats")
        if len(names) > max(number_of_seats, 1):
            raise ConfigError("", f"{len(names)} bots for {number_of_seats} seats")
        tables.require_dealable(game, settings, number_of_seats)
    except (UnknownGame, bots.UnknownBot, ConfigError) as error:
        raise typer.BadParameter(str(error)) from error
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise typer.BadParameter(f"{out}: {error.strerror}") from error
    players = tuple(names[seat % len(names)] for seat in range(max(number_of_seats, 1)))
    return game, Plan(
        game.slug, game.version, game.config_json(settings), players, number_of_seats, seed, out
    )


def _version(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UnknownGame(f"no version {text!r}: a version is a whole number")
    return int(text)


def _write(path: Path, bundle: dict[str, Any]) -> None:
    path.write_text(json.dumps(bundle, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


SCORES = {"scores": "score", "hands": "cards left"}
"""Lists of an outcome with a number for each seat, and the name of the number."""
NAMES = ("ender",)
"""Numbers of an outcome that name a seat: they are counted, not averaged."""


class Figure:
    """Mean, deviation, and range of integers that are not stored."""

    def __init__(self) -> None:
        self.count = self._sum = self._squares = 0
        self.low: int | None = None
        self.high: int | None = None

    def add(self, value: int) -> None:
        self.count += 1
        self._sum += value
        self._squares += value * value
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    def merge(self, other: Figure) -> None:
        self.count += other.count
        self._sum += other._sum
        self._squares += other._squares
        self.low = min((each for each in (self.low, other.low) if each is not None), default=None)
        self.high = max((each for each in (self.high, other.high) if each is not None), default=None)

    @property
    def mean(self) -> float:
        return self._sum / self.count if self.count else 0.0

    @property
    def deviation(self) -> float:
        if self.count < 2:
            return 0.0
        return math.sqrt((self.count * self._squares - self._sum**2) / (self.count * (self.count - 1)))

    def document(self) -> dict[str, Any]:
        return {"mean": self.mean, "deviation": self.deviation, "least": self.low, "most": self.high}


class Tally:
    """A figure for every number of an outcome, a count for other values, and both for each seat.

    `players` names the bot of each seat.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self.players = tuple(players)
        self.games = 0
        self.figures: dict[str, Figure] = {}
        self.counts: dict[str, Counter[str]] = {}
        self.seats: dict[int, Standing] = {}

    def add(self, table: Table) -> None:
        self.games += 1
        self._figure("events", table.version)
        self._figure("moves", table.moves)
        outcome = table.outcome or {}
        for name, value in _leaves(outcome, ""):
            if type(value) is int and name not in NAMES:
                self._figure(name, value)
            else:
                self.counts.setdefault(name, Counter())[json.dumps(value).strip('"')] += 1
        if "places" in outcome:
            self._places(outcome)

    def merge(self, other: Tally) -> None:
        self.games += other.games
        for name, figure in other.figures.items():
            self.figures.setdefault(name, Figure()).merge(figure)
        for name, counter in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counter)
        for seat, standing in other.seats.items():
            self.seats.setdefault(seat, Standing()).merge(standing)

    def _figure(self, name: str, value: int) -> None:
        self.figures.setdefault(name, Figure()).add(value)

    def _places(self, outcome: dict[str, Any]) -> None:
        before = 0
        for sharing in outcome["places"]:
            for seat in sharing:
                standing = self.seats.setdefault(seat, Standing())
                standing.add(before + 1, alone=len(sharing) == 1)
                for key, name in SCORES.items():
                    if key in outcome:
                        standing.figures.setdefault(name, Figure()).add(outcome[key][seat])
            before += len(sharing)

    def by_bot(self) -> dict[str, Standing]:
        """The results of each bot in all of its seats."""
        found: dict[str, Standing] = {}
        for seat, standing in sorted(self.seats.items()):
            found.setdefault(self.players[seat], Standing()).merge(standing)
        return found

    def grids(self, title: str) -> Iterator[Grid]:
        yield self._games_grid(title)
        if self.seats:
            rows = {f"{seat} {self.players[seat]}": self.seats[seat] for seat in sorted(self.seats)}
            by_bot = self.by_bot()
            if 1 < len(by_bot) < len(rows):
                rows |= {f"all {name}": standing for name, standing in by_bot.items()}
            yield _seats_grid(rows)

    def _games_grid(self, title: str) -> Grid:
        grid = Grid("what", "mean", "deviation", "least", "most", title=title)
        for name, figure in self.figures.items():
            grid.add_row(
                name, f"{figure.mean:.3f}", f"{figure.deviation:.3f}", f"{figure.low}", f"{figure.high}"
            )
        for name, counter in self.counts.items():
            for value, count in sorted(counter.items()):
                grid.add_row(f"{name} = {value}", f"{count / self.games:.2%}", "", "", f"{count}")
        return grid

    def document(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "figures": {name: figure.document() for name, figure in self.figures.items()},
            "counts": {name: dict(sorted(counter.items())) for name, counter in self.counts.items()},
            "seats": [
                {"seat": seat, "bot": self.players[seat], **self.seats[seat].document()}
                for seat in sorted(self.seats)
            ],
            "bots": {name: standing.document() for name, standing in self.by_bot().items()},
        }


class Standing:
    """The results of a player in their games."""

    def __init__(self) -> None:
        self.games = self.firsts = self.shared = 0
        self.place = Figure()
        self.figures: dict[str, Figure] = {}

    def add(self, place: int, *, alone: bool) -> None:
        self.games += 1
        self.firsts += place == 1
        self.shared += place == 1 and not alone
        self.place.add(place)

    def merge(self, other: Standing) -> None:
        self.games += other.games
        self.firsts += other.firsts
        self.shared += other.shared
        self.place.merge(other.place)
        for name, figure in other.figures.items():
            self.figures.setdefault(name, Figure()).merge(figure)

    def document(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "first": self.firsts,
            "first_shared": self.shared,
            "place": self.place.document(),
            **{name.replace(" ", "_"): figure.document() for name, figure in self.figures.items()},
        }


def _seats_grid(rows: dict[str, Standing]) -> Grid:
    names = list(next(iter(rows.values())).figures)
    columns = [each for name in names for each in (f"{name}, mean", "deviation")]
    grid = Grid("seat", "first", "shared", "place, mean", *columns)
    for who, standing in rows.items():
        scores = [
            text
            for name in names
            for text in (f"{standing.figures[name].mean:.3f}", f"{standing.figures[name].deviation:.3f}")
        ]
        grid.add_row(
            who,
            f"{standing.firsts / standing.games:.2%}",
            f"{standing.shared}",
            f"{standing.place.mean:.3f}",
            *scores,
        )
    return grid


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    """The plain values of an outcome by dotted name, without lists, which are reported by seat."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    elif not isinstance(value, list):
        yield name, value
