"""Bots: `Strategy` is what an author writes, and `Runner` plays it; docs/bot-api.md is the tutorial and the reference.

`python -m racecard_client.bot run module:Strategy --url URL` plays, and `check` is a conformance test.
"""

from racecard_client.bot.game import Fallback, Record
from racecard_client.bot.runner import Options, Runner
from racecard_client.bot.strategy import (
    Accepts,
    Closes,
    Event,
    Make,
    Move,
    Observes,
    Opens,
    Random,
    Seats,
    Strategy,
    StrategyInvalid,
    Table,
    View,
    load,
)

__all__ = [
    "Accepts",
    "Closes",
    "Event",
    "Fallback",
    "Make",
    "Move",
    "Observes",
    "Opens",
    "Options",
    "Random",
    "Record",
    "Runner",
    "Seats",
    "Strategy",
    "StrategyInvalid",
    "Table",
    "View",
    "load",
]
