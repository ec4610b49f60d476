"""`racecard tournament`: `run` plays a whole tournament of bots from one file, `replay` derives one again."""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from config.cli.options import AsJson, use
from config.parallel import progress

if TYPE_CHECKING:
    from tournaments.formats.replay import Replayed
    from tournaments.models import Tournament
    from tournaments.report import Proof
    from tournaments.simulation import Plan

app = typer.Typer(no_args_is_help=True, add_completion=False)

Document = dict[str, Any]


@app.command()
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Seed, terms and bots.", dir_okay=False)],
    data: Annotated[
        Path | None,
        typer.Option(help="A new or empty folder for the database; without it nothing is stored."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Verify every game's bundle, and its score.")
    ] = False,
    events: Annotated[
        Path | None,
        typer.Option(help="Write the tournament's events here, for `racecard tournament replay`."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a whole tournament of bots, without a server, and report rounds, standings, prizes, money, and checks.

    The same file gives the same pairings, deals, standings, and prizes, byte for byte. Exits with 1 if the tournament
    does not end or a check fails.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    with _installation(data):
        report = _held(text, verify=verify, events=events)
    if as_json:
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    else:
        print_account(Console(highlight=False, soft_wrap=True), report)
    if not all(check["ok"] for check in report["checks"]):
        raise typer.Exit(1)


@app.command()
def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="ID|FILE",
            help="A file that `run --events` wrote, - for standard input, or the id of a tournament here.",
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="The folder of the installation's data, for an id.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="For an id: verify every game's bundle, and its score.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Derive pairings, deals, standings, and prizes again from the events, and compare them.

    Exits with 1 at the first difference and names its event. A file is replayed without a database.
    """
    proofs: list[Proof] | None = None
    try:
        tournament = str(UUID(source))
    except ValueError:
        if verify:
            raise typer.BadParameter("--verify is for an id: the games are not in the file") from None
        replayed = _of_file(source)
    else:
        use(data)
        replayed, proofs = _of_installation(tournament, verify=verify)
    wrong = [f"game {one.game}: {one.fault}" for one in proofs or () if one.fault]
    if as_json:
        games = None if proofs is None else {"verified": len(proofs), "wrong": wrong}
        sys.stdout.write(json.dumps({**replayed.document(), "games": games}, ensure_ascii=False) + "\n")
    else:
        console = Console(highlight=False, soft_wrap=True)
        print_replayed(console, replayed)
        if proofs is not None:
            console.print(f"{len(proofs)} games verified, {len(wrong)} wrong")
        for each in wrong:
            console.print(f"[red]✗[/] {escape(each)}")
    if wrong or not replayed.ok:
        raise typer.Exit(1)


# --- run -------------------------------------------------------------------------------------------------


@contextmanager
def _installation(data: Path | None) -> Iterator[None]:
    """A separate database for the command: in `data`, or in a temporary folder."""
    if data is not None:
        if data.exists() and (not data.is_dir() or any(data.iterdir())):
            raise typer.BadParameter(f"{data}: not an empty folder")
        data.mkdir(parents=True, exist_ok=True)
        _make(data)
        yield
        return
    with tempfile.TemporaryDirectory(prefix="racecard-tournament-") as folder:
        _make(Path(folder))
        yield


def _make(folder: Path) -> None:
    use(folder)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _held(text: str, *, verify: bool, events: Path | None) -> Document:
    from django.utils import timezone

    from accounts.services import create_bot
    from core.errors import Problem
    from eventstore import store
    from tournaments.formats.replay import replay as replayed_from
    from tournaments.report import account, proofs
    from tournaments.simulation import Stuck, hold

    try:
        plan = read(text)
        with progress() as bars:
            tournament = hold(
                plan, organizer=create_bot(name="organizer"), now=timezone.now(), look=_bars(bars)
            )
    except BadFile as error:
        raise typer.BadParameter(str(error)) from None
    except Problem as error:
        raise typer.BadParameter(f"{error.code}: {error.detail or error.title}") from None
    except Stuck as error:
        Console(stderr=True, highlight=False).print(f"[red]✗[/] {escape(str(error))}")
        raise typer.Exit(1) from None
    stream = [event.public() for event in store.read(tournament.pk)]
    if events is not None:
        document = {"tournament": str(tournament.pk), "events": stream}
        events.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
    return account(
        tournament,
        replayed_from(str(tournament.pk), stream),
        list(proofs(tournament)) if verify else None,
    )


def _bars(bars: Any) -> Any:
    """A progress bar for each round, updated after jobs are done."""
    from tournaments.rounds.selectors import counts

    known: dict[int, Any] = {}

    def look(tournament: Tournament) -> None:
        for round in tournament.played_rounds.filter(number__gte=max(known, default=1)):
            done = counts(round)
            if round.number not in known:
                known[round.number] = bars.add_task(f"round {round.number}", total=done["games"])
            bars.update(known[round.number], completed=done["ended"], total=done["games"])

    return look


# --- replay ----------------------------------------------------------------------------------------------


def _of_file(source: str) -> Replayed:
    from tournaments.formats.replay import replay as replayed_from

    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        document = json.loads(raw)
        tournament, events = document["tournament"], document["events"]
    except OSError as error:
        raise typer.BadParameter(f"{source}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise typer.BadParameter(f"{source}: not a document of a tournament's events") from None
    if not isinstance(tournament, str) or not isinstance(events, list):
        raise typer.BadParameter(f"{source}: not a document of a tournament's events")
    return replayed_from(tournament, events)


def _of_installation(tournament: str, *, verify: bool) -> tuple[Replayed, list[Proof] | None]:
    from eventstore import store
    from tournaments.formats.replay import replay as replayed_from
    from tournaments.models import Tournament
    from tournaments.report import proofs

    found = Tournament.objects.filter(pk=tournament).first()
    if found is None:
        raise typer.BadParameter(f"no tournament {tournament} here")
    if verify and found.ended_at is None:
        raise typer.BadParameter("its games cannot be verified before it has ended")
    replayed = replayed_from(tournament, [event.public() for event in store.read(found.pk)])
    return replayed, list(proofs(found)) if verify else None


def print_account(console: Console, report: Document) -> None:
    about = report["tournament"]
    console.print(
        f"{escape(about['name'])}: {about['format']} of {about['rules']}, {len(report['entrants'])} bots, "
        f"{about['rounds']} rounds\ncommitment {about['commitment']}\nseed {about['seed']}"
    )
    console.print(_rounds(report))
    console.print(_standings(report))
    money = report["money"]
    console.print(
        f"fees {_amount(money['fees'])} + overlay {_amount(money['overlay'])} "
        f"= prizes {_amount(money['prizes'])} + rake {_amount(money['rake'])} "
        f"{money['currency']}"
    )
    for check in report["checks"]:
        sign = "[green]✓[/]" if check["ok"] else "[red]✗[/]"
        console.print(f"{sign} {escape(check['what'])}")
        for wrong in check["wrong"]:
            console.print(f"  {escape(wrong)}")


def _rounds(report: Document) -> Grid:
    grid = Grid("round", "tables", "byes", "relaxed constraints")
    for round in report["rounds"]:
        sizes = sorted((len(seats) for seats in round["tables"]), reverse=True)
        tables = ", ".join(f"{sizes.count(size)} of {size}" for size in dict.fromkeys(sizes))
        byes = ", ".join(map(str, round["byes"]))
        relaxed = ", ".join(f"{one['what']} {'-'.join(map(str, one['entries']))}" for one in round["relaxed"])
        grid.add_row(str(round["round"]), tables, byes, relaxed)
    return grid


def _standings(report: Document) -> Grid:
    names = {one["entry"]: one["name"] for one in report["entrants"]}
    grid = Grid("place", "entry")
    grid.add_column("name", no_wrap=True)
    for column in (*report["measures"], "prize"):
        grid.add_column(column, justify="right", overflow="fold")
    for one in report["standings"]:
        totals = [f"{total:,}" for total in one["totals"]]
        prize = _amount(one["prize"]) if one["prize"] else ""
        grid.add_row(str(one["place"]), str(one["entry"]), escape(names[one["entry"]]), *totals, prize)
    return grid


def print_replayed(console: Console, replayed: Replayed) -> None:
    counted = (
        f"{replayed.events} events, {replayed.pairings} pairings, {replayed.deals} deals, "
        f"{replayed.standings} standings, {replayed.prizes} prizes"
    )
    if replayed.difference is None:
        console.print(f"[green]✓[/] {counted}: all as derived ({replayed.status})")
        return
    found = replayed.difference
    console.print(f"[red]✗[/] event {found.version}: {escape(found.what)}")
    if (found.recorded, found.derived) != (None, None):
        console.print(f"  stored   {escape(json.dumps(found.recorded, ensure_ascii=False))}")
        console.print(f"  derived  {escape(json.dumps(found.derived, ensure_ascii=False))}")
    console.print(f"  before it: {counted}")


def _amount(pence: int) -> str:
    return f"{pence // 100:,}.{pence % 100:02}"


MOST_BOTS = 10_000
OWN = (
    "opens_at", "check_in_seconds", "check_in_at", "round_times", "fill_to", "capacity", "currency", "no_show_seconds",
    "late_until",
)  # fmt: skip
"""Terms that the command sets: it starts immediately, with the bots of the file."""


class BadFile(ValueError):
    """The file is not valid; the text names the place."""


def read(text: str) -> Plan:
    """Raises BadFile, and BadTerms for impossible terms."""
    from django.conf import settings
    from rest_framework.exceptions import ValidationError

    from tournaments.simulation import Plan
    from tournaments.terms import TermsInput, terms_of

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"not valid TOML: {error}") from None
    if unknown := sorted(set(document) - {"seed", "tournament", "bots"}):
        raise BadFile(f"{unknown[0]}: unknown; known are seed, [tournament] and [[bots]]")
    seed, terms = document.get("seed"), document.get("tournament")
    if not isinstance(seed, str) or not seed:
        raise BadFile('seed: a text is needed, such as seed = "club night"')
    if not isinstance(terms, dict):
        raise BadFile("tournament: a table of terms is needed")
    if taken := [name for name in OWN if name in terms]:
        raise BadFile(f"tournament.{taken[0]}: decided by the command, not by the file")
    strategies = _strategies(document.get("bots"))
    judged = TermsInput(data={"config": {}, **terms})
    try:
        judged.is_valid(raise_exception=True)
    except ValidationError as error:
        raise BadFile(f"tournament: {_first(error.detail)}") from None
    given = {
        **judged.validated_data,
        "currency": settings.RACECARD_CURRENCY,
        "capacity": max(len(strategies), 2),
    }
    return Plan(seed, terms_of(given), strategies)


def _strategies(groups: Any) -> tuple[str, ...]:
    if not isinstance(groups, list) or not groups:
        raise BadFile("bots: at least one [[bots]] with count and strategy")
    found: list[str] = []
    for number, group in enumerate(groups, start=1):
        where = f"bots {number}"
        if not isinstance(group, dict) or set(group) - {"count", "strategy"}:
            raise BadFile(f"{where}: count and strategy, nothing else")
        count, strategy = group.get("count"), group.get("strategy", "steady")
        if type(count) is not int or not 1 <= count <= MOST_BOTS:
            raise BadFile(f"{where}: count is from 1 to {MOST_BOTS}")
        if not isinstance(strategy, str):
            raise BadFile(f"{where}: strategy is a text")
        found += [strategy] * count
    if len(found) > MOST_BOTS:
        raise BadFile(f"bots: at most {MOST_BOTS} in all")
    return tuple(found)


def _first(detail: Any, path: str = "") -> str:
    """`field: message` of the first fault."""
    while isinstance(detail, (dict, list)) and detail:
        if isinstance(detail, dict):
            name, detail = next(iter(detail.items()))
            path = f"{path}.{name}".lstrip(".")
        else:
            detail = detail[0]
    return f"{path}: {detail}" if path else str(detail)
