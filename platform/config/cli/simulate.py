"""`racecard simulate`: games between bots, written as bundles that verify, with what they add up to."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from games import bots
from games.bots.simulation import Played
from games.bots.simulation import simulate as play
from games.rules import ConfigError, UnknownGame, get


def simulate(
    slug: Annotated[
        str, typer.Argument(help="A game as docs/games/ names it, with @version if not the newest.")
    ],
    out: Annotated[Path, typer.Option(help="The folder that gets one bundle a game.")],
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many games.")] = 100,
    seed: Annotated[
        str, typer.Option(help="Any text; the same seed gives the same games, to the byte.")
    ] = "1",
    config: Annotated[
        list[str] | None, typer.Option("--config", metavar="KEY=VALUE", help="The game's config; repeatable.")
    ] = None,
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest if not said.")] = None,
    bot: Annotated[
        str,
        typer.Option(
            "--bots", help="The bot that plays every seat; several, with commas, take them in turn."
        ),
    ] = bots.DEFAULT,
) -> None:
    """Let bots play whole games; writes one bundle a game into OUT and prints what they add up to."""
    console = Console(highlight=False)
    try:
        name, _, version = slug.partition("@")
        game = get(name, _version(version))
        settings = game.parse_config(_config(config or []))
        players = [bots.get(game.slug, each) for each in bot.split(",")]
    except (UnknownGame, bots.UnknownBot, ConfigError) as error:
        raise typer.BadParameter(str(error)) from error
    number_of_seats = min(game.seats) if seats is None else seats
    if number_of_seats not in game.seats:
        raise typer.BadParameter(f"{game.name} is played with {', '.join(map(str, game.seats))} seats")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"{out}: {error.strerror}") from error
    tally = Tally()
    with _progress(console) as progress:
        for number in progress.track(range(games), description=game.name):
            played = play(game, settings, seats=number_of_seats, bots=players, seed=seed, number=number)
            _write(out / f"{game.slug}-{number:06d}.json", played.bundle)
            tally.add(played)
    console.print(tally.grid(f"{games} games of {game.name}, seed {seed}, {bot} bots"))


def _version(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise UnknownGame(f"no version {text!r}: a version is a whole number")
    return int(text)


def _config(pairs: list[str]) -> dict[str, Any]:
    """KEY=VALUE with the value as JSON where it is JSON, as text where it is not."""
    config: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(key, "is given as KEY=VALUE")
        try:
            config[key] = json.loads(value)
        except ValueError:
            config[key] = value
    return config


def _progress(console: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console)


def _write(path: Path, bundle: dict[str, Any]) -> None:
    path.write_text(json.dumps(bundle, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


class Figure:
    """Mean, spread and range of numbers that are not kept (Welford)."""

    def __init__(self) -> None:
        self.count, self.mean, self._squares = 0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf

    def add(self, value: int) -> None:
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self._squares += step * (value - self.mean)
        self.low, self.high = min(self.low, value), max(self.high, value)

    @property
    def deviation(self) -> float:
        return math.sqrt(self._squares / (self.count - 1)) if self.count > 1 else 0.0


class Tally:
    """What games add up to: a figure for every number of an outcome, a count for everything else in it."""

    def __init__(self) -> None:
        self.games = 0
        self.figures: dict[str, Figure] = {}
        self.counts: dict[str, Counter[str]] = {}

    def add(self, played: Played) -> None:
        self.games += 1
        self._figure("events", played.table.version)
        self._figure("moves", played.table.moves)
        for name, value in _leaves(played.table.outcome, "", len(played.table.seats)):
            if type(value) is int:
                self._figure(name, value)
            else:
                self._count(name, json.dumps(value).strip('"'))
        for seat in (played.table.outcome or {}).get("places", [()])[0]:
            self._count("first (alone or shared)", f"seat {seat}")

    def _count(self, name: str, value: str) -> None:
        self.counts.setdefault(name, Counter())[value] += 1

    def _figure(self, name: str, value: int) -> None:
        self.figures.setdefault(name, Figure()).add(value)

    def grid(self, title: str) -> Grid:
        grid = Grid("what", "mean", "deviation", "least", "most", title=title)
        for name, figure in self.figures.items():
            grid.add_row(
                name,
                f"{figure.mean:.3f}",
                f"{figure.deviation:.3f}",
                f"{figure.low:.0f}",
                f"{figure.high:.0f}",
            )
        for name, counter in self.counts.items():
            for value, count in sorted(counter.items()):
                grid.add_row(f"{name} = {value}", f"{count / self.games:.2%}", "", "", f"{count}")
        return grid


def _leaves(value: object, name: str, seats: int) -> Iterator[tuple[str, object]]:
    """The plain values of an outcome, by dotted name; of lists those that hold one value or object a seat."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key, seats)
    elif not isinstance(value, list):
        yield name, value
    elif len(value) == seats and not any(isinstance(inner, list) for inner in value):
        for seat, inner in enumerate(value):
            yield from _leaves(inner, f"{name}.{seat}", seats)
