"""`racecard rtp`: what Vegas Solitaire gives back of its stakes under a pay table, with a confidence interval."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from games import bots
from games.bots.returns import CONFIDENCE, GAME, METHOD, Returns, played
from games.rules import ConfigError, get

LARGEST_PART = 50
"""Games that a process plays before it tells how they went; fewer when there are few."""
GROUP = 4
"""Numbers of cards to a line of the printed distribution."""

Part = tuple[dict[str, Any], str, str, int, int]


def rtp(
    draw: Annotated[int, typer.Option(help="1 or 3 cards per draw.")],
    win_rate: Annotated[str, typer.Option(help="The fraction of the stake won per card.")] = "1/13",
    stake: Annotated[int, typer.Option(help="Pence.")] = 520,
    bot: Annotated[str, typer.Option(help="Who plays.")] = bots.DEFAULT,
    games: Annotated[int, typer.Option(min=2, max=10_000_000, help="How many games.")] = 10_000,
    seed: Annotated[
        str, typer.Option(help="Any text; the same seed gives the same figures, with any --jobs.")
    ] = "1",
    jobs: Annotated[
        int | None, typer.Option(min=1, max=1024, help="How many processes; one a core if not said.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Let a bot play Vegas Solitaire and say what it gives back of the stakes, and how sure that is."""
    raw = {"draw": draw, "win_rate": win_rate, "stake": stake}
    game = get(GAME)
    try:
        config = game.parse_config(raw, staked=True)
        bots.get(GAME, bot)
    except (bots.UnknownBot, ConfigError) as error:
        raise typer.BadParameter(str(error)) from error
    processes = min(jobs or _cores(), games)
    size = min(LARGEST_PART, -(-games // (4 * processes)))
    parts: list[Part] = [(raw, bot, seed, first, min(first + size, games)) for first in range(0, games, size)]
    cards: Counter[int] = Counter()
    with _progress() as progress:
        bar = progress.add_task(f"{game.name}, {bot}", total=games)
        for found in _played(parts, processes):
            cards.update(found)
            progress.advance(bar, found.total())
    returns = Returns(cards, pence_per_card=config.pence_per_card, stake=stake)
    if as_json:
        told = {"rules": GAME, "config": game.config_json(config), "bot": bot, "seed": seed}
        typer.echo(json.dumps(told | returns.document(), indent=1))
        return
    console = Console(highlight=False)
    console.print(_figures(returns, f"{games} games, {draw} Draw, {win_rate} a card, {bot}, seed {seed}"))
    console.print(_distribution(returns))


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _played(parts: list[Part], jobs: int) -> Iterator[Counter[int]]:
    """The parts' counts as they come; adding them up does not ask in which order."""
    if jobs == 1:
        yield from map(_part, parts)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_part, parts)


def _part(part: Part) -> Counter[int]:
    return played(*part)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _figures(returns: Returns, title: str) -> Grid:
    low, high = returns.interval
    grid = Grid("what", "found", title=title, caption=f"{CONFIDENCE:.0%}: {METHOD}")
    grid.add_row("return to player", f"{float(returns.expected):.2%}")
    grid.add_row(f"  {CONFIDENCE:.0%} interval", f"{low:.2%} to {high:.2%}")
    grid.add_row("house edge", f"{float(returns.house_edge):.2%}")
    grid.add_row("cards put up, mean", f"{float(returns.mean_cards):.3f}")
    grid.add_row("  deviation", f"{returns.deviation_of_cards:.3f}")
    grid.add_row("games that give back more than the stake", f"{float(returns.paying_rate):.2%}")
    grid.add_row("games completed", f"{float(returns.complete_rate):.2%}")
    return grid


def _distribution(returns: Returns) -> Grid:
    grid = Grid("cards put up", "games", "share", "")
    groups = Counter({cards // GROUP: 0 for cards in range(53)})
    for cards, games in returns.cards.items():
        groups[cards // GROUP] += games
    most = max(groups.values())
    for group, games in sorted(groups.items()):
        first, last = GROUP * group, min(GROUP * group + GROUP - 1, 52)
        name = f"{first}" if first == last else f"{first} to {last}"
        grid.add_row(name, f"{games}", f"{games / returns.games:.2%}", "█" * round(40 * games / most))
    return grid
