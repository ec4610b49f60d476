"""`racecard verify`: check bundles with only the rules, without Django, a database, or a network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from eventstore.checkpoints.published import Published, is_key, parse_many
from games.rules.bundles import form, lineage
from games.rules.bundles.form import Proof
from games.rules.bundles.lineage import Lineage
from games.rules.bundles.verification import CHECKS, PROOF_CHECKS, BundleReport, Trusted, Unreadable, read
from games.rules.bundles.verification import verify as verify_bundle

STDIN = "-"
ABOUT = CHECKS | PROOF_CHECKS
SIGNS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "not-run": "[yellow]·[/]"}


def verify(
    bundles: Annotated[
        list[str], typer.Argument(metavar="BUNDLE…", help="Files as exported; - reads standard input.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON report per line instead of text.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only faults.")] = False,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="PUBLIC", help="A public key to check the bundle's checkpoint with; repeatable."
        ),
    ] = None,
    known: Annotated[
        list[Path] | None,
        typer.Option("--known", metavar="FILE", help="Checkpoints that you stored, as exported; repeatable."),
    ] = None,
    parents: Annotated[
        list[Path] | None,
        typer.Option(
            "--parent",
            metavar="FILE",
            help="The bundle of the game that one continues, to compare them; repeatable.",
        ),
    ] = None,
) -> None:
    """Check bundles: chain, commitment, seals, deal, every move and its facts, outcome, money.

    With --key or --known, also check that a checkpoint covers the game and is consistent with your stored ones. With
    --parent, also check that a continued game agrees with its parent in every event up to the continuation. Exits
    with 1 if a bundle is wrong or cannot be read, naming the first wrong event and the reason; with 2 if a key,
    checkpoint, or parent cannot be read.
    """
    console = Console(highlight=False, soft_wrap=True)
    trusted = _trusted(keys or [], known or [])
    before = _parents(parents or [])
    wrong = 0
    for path in bundles:
        try:
            document = read(_bytes(path))
            report = verify_bundle(document, trusted)
        except (OSError, Unreadable) as error:
            wrong += 1
            _print_unreadable(console, path, error, as_json)
            continue
        line = lineage.compare(document, before) if before and report.ok else None
        ok = report.ok and (line is None or line.ok)
        wrong += not ok
        if as_json:
            compared = {} if line is None else {"ok": ok, "parent": line.document()}
            _print_json({"bundle": path, **report.document(), **compared})
        elif not quiet or not ok:
            _print(console, path, report)
            if line is not None:
                _print_lineage(console, line)
    if len(bundles) > 1 and not as_json:
        console.print(f"{len(bundles)} bundles, {wrong} invalid")
    if wrong:
        raise typer.Exit(1)


def _trusted(keys: list[str], known: list[Path]) -> Trusted | None:
    """What the user trusts; None without keys and checkpoints."""
    if not keys and not known:
        return None
    return Trusted(read_keys(keys), tuple(one for path in known for one in read_checkpoints(path)))


def _parents(paths: list[Path]) -> dict[str, Any]:
    """Bundles by the id of their game. Exits with 2 for a file that is not a bundle."""
    found = {}
    for path in paths:
        try:
            document = read(path.read_bytes())
            form.check(document)
        except (OSError, Unreadable, form.Malformed) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise typer.BadParameter(f"{path}: {why}", param_hint="--parent") from None
        found[document["game"]["id"]] = document
    return found


def read_keys(texts: list[str]) -> tuple[str, ...]:
    """Parse public keys. Exits with 2 for an invalid one."""
    for text in texts:
        if not is_key(text):
            raise typer.BadParameter(f"{text}: a public key is 64 hexadecimal digits", param_hint="--key")
    return tuple(text.lower() for text in texts)


def read_checkpoints(path: Path) -> list[Published]:
    """The checkpoints in a file, at least one. Exits with 2 if there are none, or for other content."""
    try:
        found = parse_many(path.read_text())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise typer.BadParameter(f"{path}: {why}") from None
    if not found:
        raise typer.BadParameter(f"{path}: no checkpoint in it")
    return found


def _bytes(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()


def _print_unreadable(console: Console, path: str, error: Exception, as_json: bool) -> None:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if as_json:
        _print_json({"bundle": path, "ok": False, "why": why})
    else:
        console.print(f"[red]✗[/] {escape(path)}: cannot be read: {escape(why)}")


def _print(console: Console, path: str, report: BundleReport) -> None:
    sign = SIGNS["passed" if report.ok else "failed"]
    console.print(f"{sign} {escape(path)}: {escape(_summary(report))}")
    if report.proof is not None and report.ok:
        console.print(f"  {escape(_proven(report.proof))}")
    for check, verdict in report.checks.items():
        if not report.ok or verdict == "not-run":
            console.print(
                f"  {SIGNS[verdict]} {check}: {ABOUT[check]}{' (not run)' * (verdict == 'not-run')}"
            )
    for fault in report.faults[1:]:
        console.print(f"  also {escape(_where(fault.version))}{fault.check}: {escape(fault.why)}")


def _print_lineage(console: Console, line: Lineage) -> None:
    if line.ok and line.parent is not None:
        text = f"continues from event {line.parent.version} of game {line.parent.game}, and agrees with it"
    else:
        where = "" if line.version is None else f"event {line.version}: "
        text = f"parent: {where}{line.why}"
    console.print(f"  {SIGNS['passed' if line.ok else 'failed']} {escape(text)}")


def _summary(report: BundleReport) -> str:
    if not report.ok:
        return f"{_where(report.version)}{report.why}"
    if report.checks["commitment"] == "not-run":
        return f"game {report.game} is not disclosed yet; its {report.events} events are valid so far"
    return f"game {report.game} is valid, {report.events} events"


def _proven(proof: Proof) -> str:
    text = f"as of checkpoint {proof.number} of {proof.at}, signed by {proof.key}"
    if proof.held == "fast":
        return f"{text}: confirmed by your stored checkpoints"
    if proof.held == "following":
        return f"{text}: later than your stored checkpoints, and consistent with them"
    return text


def _where(version: int | None) -> str:
    return "" if version is None else f"event {version} is wrong: "


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
