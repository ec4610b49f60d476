"""`racecard simulate`: games between bots, written as bundles that verify, with what they add up to."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from config.cli.pairs import read_config, read_seed, suggested
from config.cli.parallel import cores, progress, ranges, spread
from config.cli.tally import Tally
from games import bots
from games.bots import simulation
from games.rules import ConfigError, Game, UnknownGame, get
from games.rules import table as tables

LARGEST_PART = 50
"""Games that a process plays before it tells how they went."""


class Plan(NamedTuple):
    """What is to be played: plain values, so that every process can make the rest of them."""

    slug: str
    version: int
    config: dict[str, Any]
    players: tuple[str, ...]
    """The bot of each seat; the one that stands for the operator where there are no seats."""
    seats: int
    seed: str
    out: Path | None


def simulate(
    slug: Annotated[
        str, typer.Argument(help="A game as docs/games/ names it, with @version if not the newest.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The folder that gets one bundle a game; none are written without it.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many games.")] = 100,
    seed: Annotated[
        str,
        typer.Option(
            callback=read_seed,
            help="Any text; the same seed gives the same games, to the byte, with any --jobs.",
        ),
    ] = "1",
    config: Annotated[
        list[str] | None, typer.Option("--config", metavar="KEY=VALUE", help="The game's config; repeatable.")
    ] = None,
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest if not said.")] = None,
    bot: Annotated[
        str,
        typer.Option(
            "--bots", help="The bot of every seat; several, with commas, take the seats in turn from seat 0."
        ),
    ] = bots.DEFAULT,
    jobs: Annotated[int, typer.Option(min=0, max=1024, help="How many processes; 0 is one a core.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Let bots play whole games and print what they add up to; with OUT each game is kept as a bundle."""
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
    except OSError as error:  # the folder is full, or not ours to write in
        raise typer.BadParameter(f"{error.filename or out}: {error.strerror}") from error
    if as_json:
        about = {"rules": game.slug, "rules_version": game.version, "config": plan.config, "seed": seed}
        typer.echo(json.dumps({**about, **tally.document()}, indent=1))
        return
    console = Console(highlight=False)
    for grid in tally.grids(f"{games} games of {game.name}, seed {seed}, {bot} bots"):
        console.print(grid)


def played(plan: Plan, numbers: range) -> Tally:
    """What these games come to; their bundles are written as they end, and nothing of them is kept."""
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
    """Raises BadParameter, before anything is written, for what cannot be played."""
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
