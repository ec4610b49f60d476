"""`racecard demo`: a tournament from its draft to the prizes, over REST, with checks of every result."""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from eventstore.chain import chain_fault
from games import bots
from games.rules.bundles.verification import verify
from games.rules.fairness import commitment, entropy, lot_key

RULES = "vegas-solitaire"
STAFF = {"organizer": ["read", "organize"], "administrator": ["staff:administrator"]}
"""The accounts of staff that the demo uses, with the scopes of their tokens."""

PLAYER = ["read", "play", "enter", "wallet"]
FEE = 500
RAKE = 500
PRIZES = [5000, 3000, 2000]
PURSE = 10_000
STAKE = 520
BANK = 100_000
ROUND_SECONDS = 180
LOOK = 0.25
"""Seconds between polls of a running round."""

Document = dict[str, Any]


@dataclass(slots=True)
class People:
    organizer: Rest
    administrator: Rest
    player: Rest
    player_id: str


@dataclass(slots=True)
class Findings:
    """A check and whether it passed."""

    rows: list[tuple[str, bool, str]] = field(default_factory=list)

    def check(self, what: str, holds: bool, found: str = "") -> None:
        self.rows.append((what, holds, found))

    @property
    def ok(self) -> bool:
        return all(holds for _, holds, _ in self.rows)


def demo(
    url: Annotated[
        str,
        typer.Option(help="A running server; default: one is started for the demo and stopped afterwards."),
    ] = "",
    passwords: Annotated[
        Path | None,
        typer.Option(help="File of `name password` lines for organizer and administrator of that server."),
    ] = None,
    entrants: Annotated[
        int, typer.Option(min=2, max=200, help="The number of entrants: one player and bots.")
    ] = 16,
    rounds: Annotated[int, typer.Option(min=1, max=10)] = 3,
) -> None:
    """Run a complete duplicate tournament, print standings, prizes, and trial balance, and verify every game.

    RACECARD_TOKEN can replace --passwords: a token of an account that is organizer and administrator, with the scopes
    read, organize, and staff:administrator. Exits with 1 if
    a check fails.
    """
    console = Console(highlight=False)
    try:
        with ExitStack() as stack:
            if not url:
                console.print("starting a server for the demo …")
                served = stack.enter_context(installation())
                url, passwords = served.url, served.passwords
            findings = _run(console, _people(url, passwords), entrants=entrants, rounds=rounds)
    except (Refused, NotStarted, httpx.HTTPError, OSError) as error:
        console.print(f"[red]✗[/] {escape(str(error))}")
        raise typer.Exit(1) from error
    if not findings.ok:
        raise typer.Exit(1)


def _people(url: str, passwords: Path | None) -> People:
    """The staff of the server, and a new player for this demo."""
    anybody = Rest(url)
    if token := os.environ.get("RACECARD_TOKEN"):
        organizer = administrator = Rest(url, token)
    elif passwords is not None:
        known = dict(line.split(maxsplit=1) for line in passwords.read_text().splitlines() if line.strip())
        for name in STAFF:
            if name not in known:
                raise typer.BadParameter(f"{passwords} has no line for {name}")
        organizer, administrator = (
            anybody.sign_in(name, known[name].strip(), scopes) for name, scopes in STAFF.items()
        )
    else:
        raise typer.BadParameter("a running server needs --passwords FILE, or RACECARD_TOKEN")
    name, password = f"demo-{secrets.token_hex(4)}", secrets.token_urlsafe(16)
    player = anybody.post("players/", {"username": name, "password": password})
    return People(organizer, administrator, anybody.sign_in(name, password, PLAYER), player["id"])


def _run(console: Console, people: People, *, entrants: int, rounds: int) -> Findings:
    findings = Findings()
    purse = _pay_in(people)
    staked = _staked_game(console, people)
    tournament = _publish(people, entrants=entrants, rounds=rounds)
    people.player.post(f"tournaments/{tournament['id']}/entries/", {"client_seed": secrets.token_hex(8)})
    people.organizer.post(f"tournaments/{tournament['id']}/start/")
    seal = tournament["fairness"]["commitment"]
    console.print(f"{tournament['name']}: {entrants} entrants, {rounds} rounds, commitment\n{seal}")
    with _progress(console) as progress:
        finished = _play(progress, people.player, tournament["id"], rounds)
        bundles = _bundles(progress, people.player, finished)
    if finished["status"] != "finished":
        findings.check("the tournament ends", False, finished["stalled"] or finished["status"])
    else:
        _check(findings, people, finished, bundles, left=purse - STAKE + staked["outcome"]["winnings"])
        _print_standings(console, people.player, finished)
    _print_books(console, findings, people.administrator)
    _print_findings(console, findings)
    return findings


# --- what is played ------------------------------------------------------------------------------------


def _pay_in(people: People) -> int:
    """Fund the player's wallet and the bank of the Vegas table, and return what the player has then."""
    for whom in (
        {"player": people.player_id, "amount": PURSE},
        {"stake_table": "vegas-classic", "amount": BANK},
    ):
        people.administrator.post("deposits/", {**whom, "reason": "racecard demo"})
    return _cash(people)


def _cash(people: People) -> int:
    total: int = people.player.get("wallet/")["accounts"]["cash"]["total"]
    return total


def _staked_game(console: Console, people: People) -> Document:
    """Play one game of Vegas for money: cash in, deal, play, collect, cash out."""
    player = people.player
    session = player.post("play-sessions/", {"amount": STAKE})
    game = player.post(
        "games/",
        {
            "rules": RULES,
            "config": {"draw": 3, "stake": STAKE},
            "seats": 1,
            "stake_table": "vegas-classic",
            "play_session": session["id"],
        },
    )
    player.post(f"games/{game['id']}/seats/", {"client_seed": secrets.token_hex(8)})
    player.post(f"games/{game['id']}/start/")
    for _ in _moves(player, game["id"]):
        pass
    player.post(f"play-sessions/{session['id']}/cash-out/")
    ended: Document = player.get(f"games/{game['id']}/bundle/")
    outcome = ended["outcome"]
    console.print(
        f"a game of Vegas for {_money(STAKE)}: {outcome['cards']} cards, {_money(outcome['winnings'])} back"
    )
    return ended


def _publish(people: People, *, entrants: int, rounds: int) -> Document:
    draft = people.organizer.post(
        "tournaments/",
        {
            "name": "Demo duplicate",
            "format": "duplicate",
            "rules": RULES,
            "config": {"draw": 3, "stake": 0},
            "rounds": rounds,
            "round_seconds": ROUND_SECONDS,
            "capacity": entrants,
            "fill_to": entrants,
            "fee": FEE,
            "prizes": PRIZES if entrants >= len(PRIZES) else [10_000],
            "rake": RAKE,
        },
    )
    published: Document = people.organizer.post(f"tournaments/{draft['id']}/publish/")
    return published


def _play(progress: Progress, player: Rest, tournament: str, rounds: int) -> Document:
    """Poll until the tournament has ended, and play the player's own games."""
    bars: dict[int, TaskID] = {}
    deadline = time.monotonic() + rounds * (ROUND_SECONDS + 60)
    while time.monotonic() < deadline:
        shown: Document = player.get(f"tournaments/{tournament}/")
        _advance(progress, bars, player, shown)
        if shown["status"] in ("finished", "cancelled") or shown["stalled"]:
            break
        for own in shown["entry"]["games"] if shown["entry"] else []:
            if own["ended"] is None:
                _play_own(progress, bars, player, tournament, own["game"])
        time.sleep(LOOK)
    return shown


def _play_own(progress: Progress, bars: dict[int, TaskID], player: Rest, tournament: str, game: str) -> None:
    looked = time.monotonic()
    for _ in _moves(player, game):
        if time.monotonic() - looked > LOOK:
            _advance(progress, bars, player, player.get(f"tournaments/{tournament}/"))
            looked = time.monotonic()


def _moves(player: Rest, game: str) -> Iterator[Document]:
    """Play a game steadily from the player's own view; yield each response of the server."""
    bot = bots.get(RULES)
    shown = player.get(f"games/{game}/")
    chance = random.Random(game)  # noqa: S311 - nothing here need be hard to guess
    while shown["legal_moves"]:
        move = bot.choose(bots.Observation(shown["view"], shown["legal_moves"]), chance)
        try:
            shown = player.post(f"games/{game}/moves/", {"move": move})
        except Refused as refused:
            if refused.code == "game-over":
                return
            raise
        yield shown


def _advance(progress: Progress, bars: dict[int, TaskID], player: Rest, shown: Document) -> None:
    for round in player.get(f"tournaments/{shown['id']}/rounds/")["results"]:
        number = round["round"]
        if number not in bars:
            bars[number] = progress.add_task(f"round {number}", total=round["games"])
        progress.update(bars[number], completed=round["ended"], total=round["games"])


def _bundles(progress: Progress, player: Rest, tournament: Document) -> list[Document]:
    """Verify every game of every round."""
    games = [
        game["game"]
        for number in range(1, tournament["round"] + 1)
        for table in player.get(f"tournaments/{tournament['id']}/rounds/{number}/")["tables"]
        for game in table["games"]
    ]
    if tournament["status"] != "finished":
        return []
    return [player.get(f"games/{game}/bundle/") for game in progress.track(games, description="bundles")]


# --- what must hold ------------------------------------------------------------------------------------


def _check(
    findings: Findings, people: People, tournament: Document, bundles: list[Document], *, left: int
) -> None:
    reports = [verify(bundle) for bundle in bundles]
    wrong = [report for report in reports if not report.ok]
    findings.check(
        "every bundle verifies",
        bool(reports) and not wrong,
        f"{len(reports) - len(wrong)} of {len(reports)}" + (f"; {wrong[0].why}" if wrong else ""),
    )
    findings.check(
        "every deal follows from the tournament's seed",
        all(report.checks["tournament-seed"] == "passed" for report in reports),
    )
    findings.check("all entrants of a round played the same deal", _deals_are_shared(bundles))
    _check_stream(findings, people.player, tournament)
    _check_money(findings, people, tournament, left)


def _deals_are_shared(bundles: list[Document]) -> bool:
    packs: dict[tuple[int, int], set[str]] = defaultdict(set)
    for bundle in bundles:
        place = bundle["game"]["tournament"]
        [dealt] = [event for event in bundle["events"] if event["type"] == "dealt"]
        packs[place["round"], place["deal"]].add(str(dealt["private"]))
    return len({str(packs[each]) for each in packs}) == len(packs) and all(
        len(same) == 1 for same in packs.values()
    )


def _check_stream(findings: Findings, player: Rest, tournament: Document) -> None:
    events: list[Document] = []
    after: int | None = 0
    while after is not None:
        page = player.get(f"tournaments/{tournament['id']}/events/", after=after)
        events += page["events"]
        after = page["next"]
    fault = chain_fault(events, stream=tournament["id"])
    findings.check("the tournament's event chain is valid", fault is None, f"{len(events)} events")
    fairness = tournament["fairness"]
    findings.check(
        "the seed matches the commitment",
        commitment(bytes.fromhex(fairness["seed"])) == fairness["commitment"],
    )
    findings.check(
        "the entropy follows from the entrants' seeds",
        entropy(fairness["client_seeds"]) == fairness["entropy"],
    )
    findings.check(
        "the lot key follows from the seed and the entropy",
        lot_key(bytes.fromhex(fairness["seed"]), fairness["entropy"]) == fairness["lot_key"],
    )


def _check_money(findings: Findings, people: People, tournament: Document, left: int) -> None:
    standings = people.player.get(f"tournaments/{tournament['id']}/standings/")["standings"]
    fees = FEE * len(standings)
    rake = fees * RAKE // 10_000
    prizes = sum(standing["prize"] for standing in standings)
    findings.check(
        "fees = prizes + rake",
        fees == prizes + rake,
        f"{_money(fees)} = {_money(prizes)} + {_money(rake)}",
    )
    [escrow] = people.administrator.all("accounts/", account=f"tournament:{tournament['id']}/escrow")
    findings.check("the escrow is empty", escrow["total"] == 0)
    [own] = [standing for standing in standings if standing["player"] == people.player_id]
    cash, expected = _cash(people), left - FEE + own["prize"]
    findings.check("the player's cash balance is as expected", cash == expected, _money(cash))


# --- what is printed -----------------------------------------------------------------------------------


def _progress(console: Console) -> Progress:
    columns = TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=console)


def _money(pence: int) -> str:
    sign = "-" if pence < 0 else ""
    return f"{sign}{abs(pence) // 100}.{abs(pence) % 100:02}"


def _print_standings(console: Console, player: Rest, tournament: Document) -> None:
    shown = player.get(f"tournaments/{tournament['id']}/standings/")
    grid = Grid("place", "entry", "name", title=f"{tournament['name']}: standings and prizes")
    for measure in shown["measures"]:
        grid.add_column(measure["name"], justify="right")
    grid.add_column("prize", justify="right")
    for row in shown["standings"]:
        totals = [str(total) for total in row["totals"]]
        prize = _money(row["prize"]) if row["prize"] else ""
        grid.add_row(str(row["place"]), str(row["entry"]), escape(row["name"] or ""), *totals, prize)
    console.print(grid)


def _print_books(console: Console, findings: Findings, administrator: Rest) -> None:
    for book in administrator.get("trial-balance/"):
        grid = Grid("account", title=f"trial balance, {book['currency']}")
        columns = ("debits", "credits", "balance")
        for column in columns:
            grid.add_column(column, justify="right")
        for row in book["rows"]:
            grid.add_row(f"{row['kind']}/{row['purpose']}", *(_money(row[column]) for column in columns))
        grid.add_row("total", _money(book["debits"]), _money(book["credits"]), _money(book["total"]))
        console.print(grid)
        findings.check(f"the trial balance of {book['currency']} is zero", book["total"] == 0)


def _print_findings(console: Console, findings: Findings) -> None:
    for what, holds, found in findings.rows:
        sign = "[green]✓[/]" if holds else "[red]✗[/]"
        console.print(f"{sign} {what}" + (f" ({escape(found)})" if found else ""))


TRIES = 6
PATIENCE = 30.0
TOO_MANY = 429


class Refused(Exception):
    """The server answered with a problem document."""

    def __init__(self, code: str, detail: str, status: int) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.status = status


class Rest:
    """A caller of the API. Every POST has an Idempotency-Key, so one without a response is sent again."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=PATIENCE)

    def sign_in(self, username: str, password: str, scopes: Sequence[str]) -> Rest:
        answer = self.post("tokens/", {"username": username, "password": password, "scopes": scopes})
        return Rest(self.url, answer["token"])

    def get(self, path: str, **query: Any) -> Any:
        return self._send("GET", path, params=query)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._send("POST", path, json=body or {}, headers=headers)

    def all(self, path: str, **query: Any) -> list[Any]:
        """Every row of a list, page by page."""
        found: list[Any] = []
        query["limit"] = 200
        while True:
            page = self.get(path, **query)
            found += page["results"]
            if page["next"] is None:
                return found
            query["cursor"] = httpx.URL(page["next"]).params["cursor"]

    def _send(self, method: str, path: str, **what: Any) -> Any:
        for attempt in range(1, TRIES + 1):
            try:
                response = self._client.request(method, path, **what)
            except httpx.TransportError:
                if attempt == TRIES:
                    raise
                time.sleep(0.2 * attempt)
                continue
            if response.status_code == TOO_MANY and attempt < TRIES:
                time.sleep(float(response.headers.get("Retry-After", "1")))
                continue
            break
        return _answer(response)


def _answer(response: httpx.Response) -> Any:
    if response.is_success:
        return response.json() if response.content else None
    try:
        problem = response.json()
        raise Refused(problem["code"], problem["detail"], response.status_code)
    except (ValueError, KeyError, TypeError):
        raise Refused("no-problem-document", response.text[:200], response.status_code) from None


MANAGE = Path(__file__).resolve().parents[3] / "manage.py"
START = 90.0
STOP = 20.0


class NotStarted(RuntimeError):
    """The server did not start; the text is the end of its output."""


@dataclass(frozen=True, slots=True)
class Installation:
    url: str
    passwords: Path


@contextmanager
def installation() -> Iterator[Installation]:
    """Serve a new installation with demo data on a free port. Raises NotStarted."""
    with tempfile.TemporaryDirectory(prefix="racecard-demo-") as folder:
        data = Path(folder)
        log = data / "server.log"
        url = f"http://127.0.0.1:{_free_port()}"
        with log.open("wb") as output:
            server = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, str(MANAGE), "serve", "--port", url.rpartition(":")[2]],
                env=_environment(data),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _await(server, url, log)
            yield Installation(url, data / "demo-passwords.txt")
        finally:
            _stop(server)


def _environment(data: Path) -> dict[str, str]:
    """The environment with SQLite in that folder, whatever database the caller uses."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL", "PORT")
    }
    return {**kept, "RACECARD_DATA": str(data)}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/api/v1/rules/", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise NotStarted(log.read_text(errors="replace")[-2000:])


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is None:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(STOP)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
