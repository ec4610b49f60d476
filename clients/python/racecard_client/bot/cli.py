"""The command line of bots: `racecard bot`, and `python -m racecard_client.bot` where only the client is installed."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from racecard_client.bot.checks import Check, check
from racecard_client.bot.game import RACE_PACE
from racecard_client.bot.runner import Options, Runner
from racecard_client.bot.strategy import StrategyInvalid, load
from racecard_client.client import AsyncClient, answered
from racecard_client.errors import RacecardError
from racecard_client.rest.api.tokens import tokens_current
from racecard_client.retries import Retry

PATIENT = Retry(attempts=250, stream_patience=3600.0)
"""A restart of the server, or an hour without a network, does not end the bot."""
OK, FAILED, USAGE = 0, 1, 2

log = logging.getLogger("racecard.bot")


def main(arguments: Sequence[str] | None = None, program: str = "python -m racecard_client.bot") -> int:
    """Run a command. Returns the exit code: 0, 1 if a check or the run has failed, 2 for wrong usage."""
    parser = make_parser(program)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        token = read_token(given.token_file)
        code: int = asyncio.run(given.command(given, token))
        return code
    except (StrategyInvalid, UsageError) as error:
        parser.error(str(error))
    except RacecardError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130


class UsageError(Exception):
    """What was given on the command line, or in the environment, cannot be used."""


def read_token(path: Path | None) -> str:
    """The token, of a file or of the environment, so that no list of processes shows it. Raises UsageError."""
    if path is None:
        token = os.environ.get("RACECARD_TOKEN", "")
    else:
        try:
            token = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UsageError(f"--token-file: {error}") from error
    if not token.strip():
        raise UsageError("a token is needed: set RACECARD_TOKEN, or name a file with --token-file")
    return token.strip()


def require_address(url: str | None) -> None:
    """Raise UsageError unless it is the address of a server."""
    if not url:
        raise UsageError("name the server with --url, or set RACECARD_URL")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(f"{url!r}: an address such as https://cards.example.org is needed")


def make_parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Play with a strategy, or check one.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="play everything that waits for the bot, until Ctrl-C")
    run.set_defaults(command=run_bot)
    run.add_argument(
        "strategies", nargs="+", metavar="module:Strategy", help="a class, or a function that makes one"
    )
    run.add_argument(
        "--url", default=os.environ.get("RACECARD_URL"), help="the server; by default $RACECARD_URL"
    )
    run.add_argument("--accept", action="store_true", help="accept challenges; otherwise they are declined")
    run.add_argument("--join", action="store_true", help="take free seats at tables for points")
    run.add_argument(
        "--open", action="append", default=[], metavar="GAME", help="open tables of this game; repeatable"
    )
    run.add_argument(
        "--table", type=_object, default={}, metavar="JSON", help="members of the request that opens a table"
    )
    run.add_argument(
        "--at-once", type=_number(int, 1), default=1, metavar="N", help="open tables of a game at a time"
    )
    run.add_argument("--games", type=_number(int, 1), metavar="N", help="end after so many games")
    run.add_argument(
        "--fallback",
        choices=["wait", "random"],
        default="wait",
        help="after an exception or an illegal move: wait, or make a random legal move",
    )
    run.add_argument(
        "--pace",
        type=_number(float, 0),
        default=RACE_PACE,
        metavar="SECONDS",
        help=f"between two moves where all seats play at once; by default {RACE_PACE}",
    )
    tested = commands.add_parser("check", help="test a strategy and an installation at sandbox tables")
    tested.set_defaults(command=check_bot)
    tested.add_argument("url", metavar="URL", help="the server")
    tested.add_argument(
        "strategies", nargs="*", metavar="module:Strategy", help="by default the examples of the client"
    )
    tested.add_argument("--game", action="append", default=[], help="only this game; repeatable")
    tested.add_argument(
        "--move-limit",
        type=_number(int, 5),
        default=30,
        metavar="SECONDS",
        help="the longest decision that is allowed; by default 30",
    )
    tested.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    for command in (run, tested):
        command.add_argument(
            "--token-file",
            type=Path,
            metavar="PATH",
            help="a file with the token; by default $RACECARD_TOKEN",
        )
    return parser


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('a JSON object is needed, such as {"seats": 2, "bots": [1]}')
    return value


def _number(kind: type[int] | type[float], least: int) -> Any:
    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value < 10**9:
            raise argparse.ArgumentTypeError(f"{text!r}: a number of at least {least} is needed")
        return value

    return parse


async def run_bot(given: argparse.Namespace, token: str) -> int:
    require_address(given.url)
    strategies = [load(name) for name in given.strategies]
    options = Options(
        accept=given.accept,
        join=given.join,
        open=given.open,
        table=given.table,
        at_once=given.at_once,
        games=given.games,
        fallback=given.fallback,
        pace=given.pace,
    )
    async with AsyncClient(given.url, token) as client:  # a wrong address or token is reported soon
        answered(await tokens_current.asyncio(client=client.rest))
    async with AsyncClient(given.url, token, retry=PATIENT) as client:
        runner = Runner(client, strategies, options)
        stopped_by(runner)
        log.info("playing at %s with %s; stop with Ctrl-C", given.url, ", ".join(given.strategies))
        await runner.run()
    log.info("stopped: %s games played, %s still in play", runner.played, runner.left)
    return OK


def stopped_by(runner: Runner) -> None:
    """Stop at Ctrl-C and SIGTERM. The second time the process ends at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(runner.stop)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, stop)


async def check_bot(given: argparse.Namespace, token: str) -> int:
    require_address(given.url)
    strategies = [load(name) for name in given.strategies] or None
    began = time.monotonic()
    found = await check(given.url, token, strategies, games=given.game, move_limit=given.move_limit)
    failed = sum(one.passed is False for one in found)
    if given.json:
        print(json.dumps({"passed": not failed, "checks": [one.document() for one in found]}, indent=2))
    else:
        print(table(found))
        print(f"{len(found)} checks, {failed} failed, in {time.monotonic() - began:.0f} s")
    return FAILED if failed else OK


WORDS = {True: "pass", False: "FAIL", None: "skip"}


def table(checks: Sequence[Check]) -> str:
    """A line for each check; below a failed one, what would be right."""
    width = max(len(one.name) for one in checks)
    lines = []
    for one in checks:
        lines.append(f"{WORDS[one.passed]}  {one.name:<{width}}  {one.found}".rstrip())
        if one.passed is False:
            lines.append(f"      {'':<{width}}  right: {one.right}")
    return "\n".join(lines)
