"""`racecard compare`: play bots against one another on the same deals, with the significance of the difference."""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table as Grid

from config.cli.options import AsJson, Config, Jobs, Seed, read_config, suggested
from config.parallel import cores, progress, ranges, spread
from games import bots
from games.bots.comparison import CONFIDENCE, METHOD, Comparison, Deal, of_a_table, of_one_seat
from games.bots.registry import thinking
from games.rules import ConfigError, Game, UnknownGame, get
from games.rules import table as tables

LARGEST_PART = 5
"""Deals that a process plays between reports."""

Pair = tuple[str, str]


class Plan(NamedTuple):
    slug: str
    config: dict[str, Any]
    names: tuple[str, ...]
    seats: int
    seed: str
    playouts: int | None


def compare(
    slug: Annotated[str, typer.Argument(help="The game, as named in docs/games/.")],
    names: Annotated[
        str, typer.Option("--bots", help="Two or more bots, separated by commas.")
    ] = "strong,steady",
    games: Annotated[
        int,
        typer.Option(
            min=2, max=10_000_000, help="The number of games of each pair, rounded down to whole deals."
        ),
    ] = 1000,
    seats: Annotated[int | None, typer.Option(help="The number of seats; default: the fewest.")] = None,
    seed: Seed = "1",
    config: Config = None,
    playouts: Annotated[
        int | None, typer.Option(min=1, help="The number of playouts for a move of a bot that searches.")
    ] = None,
    jobs: Jobs = 0,
    as_json: AsJson = False,
) -> None:
    """Play the same deals with several bots: a solitaire with each bot, a table once with each bot in each seat."""
    game, plan = _plan(slug, names, seats, seed, config or [], playouts)
    deals = max(2, games // plan.seats)
    pairs = list(combinations(plan.names, 2))
    processes = min(jobs or cores(), deals)
    found: dict[Pair, dict[int, Deal]] = {pair: {} for pair in pairs}
    with progress() as bars:
        bar = bars.add_task(game.name, total=deals)
        parts = ranges(deals, jobs=processes, largest=LARGEST_PART)
        for part in spread(partial(played, plan), parts, jobs=processes):
            for pair, numbered in part.items():
                found[pair].update(numbered)
            bars.advance(bar, len(part[pairs[0]]))
    compared = {pair: Comparison([by[deal] for deal in sorted(by)]) for pair, by in found.items()}
    if as_json:
        about = {"rules": game.slug, "config": plan.config, "seats": plan.seats, "seed": seed}
        results = [{"bots": pair, **comparison.document()} for pair, comparison in compared.items()]
        typer.echo(json.dumps({**about, "pairs": results}, indent=1))
        return
    what = "cards" if plan.seats == 1 else "share of the first place"
    title = f"{game.name}, {plan.seats} seats, {deals} deals, seed {seed}: {what}"
    Console(highlight=False).print(_grid(title, compared))


def played(plan: Plan, deals: range) -> dict[Pair, dict[int, Deal]]:
    """The results, by pair of bots and deal."""
    game = get(plan.slug)
    config = game.parse_config(plan.config)
    players = {name: thinking(bots.get(plan.slug, name), plan.playouts) for name in plan.names}
    pairs = list(combinations(plan.names, 2))
    if plan.seats == 1:
        cards = of_one_seat(game, config, list(players.values()), seed=plan.seed, deals=deals)
        by_name = [dict(zip(players, of_deal, strict=True)) for of_deal in cards]
        return {
            (one, other): {
                deal: Deal(of_deal[one], of_deal[other]) for deal, of_deal in zip(deals, by_name, strict=True)
            }
            for one, other in pairs
        }
    table = partial(of_a_table, game, config, seats=plan.seats, seed=plan.seed, deals=deals)
    return {
        (one, other): dict(zip(deals, table(players[one], players[other]), strict=True))
        for one, other in pairs
    }


def _plan(
    slug: str, names: str, seats: int | None, seed: str, config: list[str], playouts: int | None
) -> tuple[Game, Plan]:
    """Raises BadParameter for options that cannot be played."""
    try:
        game = get(slug)
        settings = game.parse_config({**suggested(game), **read_config(config)})
        players = tuple(dict.fromkeys(names.split(",")))
        for name in players:
            bots.get(game.slug, name)
        number = min(count for count in game.seats if count) if seats is None else seats
        if number not in game.seats or number == 0:
            raise ConfigError("", f"{game.name} is played with {', '.join(map(str, game.seats))} seats")
        if len(players) < 2:
            raise ConfigError("", "a comparison needs two different bots")
        tables.require_dealable(game, settings, number)
        if 0 in game.seats:
            raise ConfigError("", f"{game.name} has no decisions")
    except (UnknownGame, bots.UnknownBot, ConfigError) as error:
        raise typer.BadParameter(str(error)) from error
    return game, Plan(game.slug, game.config_json(settings), players, number, seed, playouts)


def _grid(title: str, compared: dict[Pair, Comparison]) -> Grid:
    grid = Grid(
        "bots",
        "first",
        "second",
        "lead",
        f"{CONFIDENCE:.0%}",
        "won : lost",
        "sign test",
        title=title,
        caption=METHOD,
    )
    for (one, other), found in compared.items():
        grid.add_row(
            f"{one} : {other}",
            f"{found.first:.3f}",
            f"{found.second:.3f}",
            f"{found.lead:+.3f}",
            f"± {found.reach:.3f}",
            f"{found.won} : {found.lost}",
            f"{found.sign_test:.1e}",
        )
    return grid
