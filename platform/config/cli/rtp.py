"""`racecard rtp`: the return to player of Vegas Solitaire under a pay table, with a confidence interval."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid

from config.cli.options import AsJson, Jobs, Seed
from config.parallel import cores, progress, ranges, spread
from games import bots
from games.rules import ConfigError, get
from games.rules.vegas_solitaire.returns import CONFIDENCE, GAME, METHOD, Returns, played

LARGEST_PART = 50
"""Games that a process plays between reports; fewer for few games."""
GROUP = 4
"""Numbers of cards per line of the printed distribution."""

Part = tuple[dict[str, Any], str, str, int, int]


def rtp(
    draw: Annotated[int, typer.Option(help="1 or 3 cards per draw.")],
    win_rate: Annotated[str, typer.Option(help="The fraction of the stake won per card.")] = "1/13",
    stake: Annotated[int, typer.Option(help="Pence.")] = 520,
    bot: Annotated[str, typer.Option(help="The bot that plays.")] = bots.DEFAULT,
    games: Annotated[int, typer.Option(min=2, max=10_000_000, help="The number of games.")] = 10_000,
    seed: Seed = "1",
    jobs: Jobs = 0,
    as_json: AsJson = False,
) -> None:
    """Play Vegas Solitaire with a bot and print the return to player with its confidence interval."""
    raw = {"draw": draw, "win_rate": win_rate, "stake": stake}
    game = get(GAME)
    try:
        config = game.parse_config(raw, staked=True)
        bots.get(GAME, bot)
    except (bots.UnknownBot, ConfigError) as error:
        raise typer.BadParameter(str(error)) from error
    processes = min(jobs or cores(), games)
    numbers = ranges(games, jobs=processes, largest=LARGEST_PART)
    parts: list[Part] = [(raw, bot, seed, part.start, part.stop) for part in numbers]
    cards: Counter[int] = Counter()
    with progress() as bars:
        bar = bars.add_task(f"{game.name}, {bot}", total=games)
        for found in spread(_part, parts, jobs=processes):
            cards.update(found)
            bars.advance(bar, found.total())
    returns = Returns(cards, pence_per_card=config.pence_per_card, stake=stake)
    if as_json:
        result = {"rules": GAME, "config": game.config_json(config), "bot": bot, "seed": seed}
        typer.echo(json.dumps(result | returns.document(), indent=1))
        return
    console = Console(highlight=False)
    console.print(_figures(returns, f"{games} games, {draw} Draw, {win_rate} a card, {bot}, seed {seed}"))
    console.print(_distribution(returns))


def _part(part: Part) -> Counter[int]:
    return played(*part)


def _figures(returns: Returns, title: str) -> Grid:
    low, high = returns.interval
    grid = Grid("what", "found", title=title, caption=f"{CONFIDENCE:.0%}: {METHOD}")
    grid.add_row("return to player", f"{float(returns.expected):.2%}")
    grid.add_row(f"  {CONFIDENCE:.0%} interval", f"{low:.2%} to {high:.2%}")
    grid.add_row("house edge", f"{float(returns.house_edge):.2%}")
    grid.add_row("cards put up, mean", f"{float(returns.mean_cards):.3f}")
    grid.add_row("  deviation", f"{returns.deviation_of_cards:.3f}")
    grid.add_row("games that return more than the stake", f"{float(returns.paying_rate):.2%}")
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
