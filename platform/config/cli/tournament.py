"""`racecard tournament`: `run` holds a whole tournament of bots from one file, `replay` derives one again."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape

from config.cli.parallel import progress
from config.cli.tournament_file import BadFile, read
from config.cli.tournament_report import print_account, print_replayed

if TYPE_CHECKING:
    from tournaments.formats.replay import Replayed
    from tournaments.models import Tournament
    from tournaments.proof import Proof

app = typer.Typer(no_args_is_help=True, add_completion=False)

Document = dict[str, Any]


@app.command()
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Seed, terms and bots.", dir_okay=False)],
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder that does not exist yet or is empty, to keep the database in; without it nothing is kept."
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Verify every game's bundle, and what it was worth.")
    ] = False,
    events: Annotated[
        Path | None,
        typer.Option(help="Write the tournament's events here, for `racecard tournament replay`."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Hold a whole tournament of bots, without a server, and report rounds, standings, prizes, money and checks.

    The same file gives the same pairings, deals, standings and prizes, byte for byte. Exits with 1 when the tournament
    does not come to its end or anything does not add up.
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
        bool, typer.Option("--verify", help="Of an id: verify every game's bundle, and what it was worth.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Derive pairings, deals, standings and prizes again from the events, and say whether all agree.

    Exits with 1 at the first difference, naming its event; a file is replayed without any database.
    """
    proofs: list[Proof] | None = None
    try:
        tournament = str(UUID(source))
    except ValueError:
        if verify:
            raise typer.BadParameter("--verify is for an id: the games are not in the file") from None
        replayed = _of_file(source)
    else:
        _use(data)
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
    """A database of the command's own, whatever its caller uses: in `data`, or in a folder that goes away."""
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
    _use(folder)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _use(folder: Path | None) -> None:
    """Before Django is set up: with the database in the folder, or that of the environment."""
    if folder is not None:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ["RACECARD_DATA"] = str(folder)
    os.environ.setdefault("RACECARD_LOG_LEVEL", "WARNING")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()


def _held(text: str, *, verify: bool, events: Path | None) -> Document:
    from django.utils import timezone

    from accounts.services import create_bot
    from api.errors import Problem
    from eventstore import store
    from tournaments.account import account
    from tournaments.automatic import Stuck, hold
    from tournaments.formats.replay import replay as replayed_from
    from tournaments.proof import proofs

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
    """A bar for each round, moved on whenever jobs have been done."""
    from tournaments.progress import counts

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
    from tournaments.proof import proofs

    found = Tournament.objects.filter(pk=tournament).first()
    if found is None:
        raise typer.BadParameter(f"no tournament {tournament} here")
    if verify and found.ended_at is None:
        raise typer.BadParameter("its games cannot be verified before it has ended")
    replayed = replayed_from(tournament, [event.public() for event in store.read(found.pk)])
    return replayed, list(proofs(found)) if verify else None
