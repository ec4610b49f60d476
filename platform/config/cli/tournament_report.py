"""What `racecard tournament` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

if TYPE_CHECKING:
    from tournaments.formats.replay import Replayed

Document = dict[str, Any]


def print_account(console: Console, report: Document) -> None:
    about = report["tournament"]
    console.print(
        f"{escape(about['name'])}: {about['format']} of {about['rules']}, {len(report['entrants'])} bots, "
        f"{about['rounds']} rounds\ncommitted to {about['commitment']}, shown {about['seed']}"
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
    grid = Grid("round", "tables", "byes", "could not be kept")
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
        console.print(f"[green]✓[/] {counted}: all as they follow ({replayed.status})")
        return
    found = replayed.difference
    console.print(f"[red]✗[/] event {found.version}: {escape(found.what)}")
    if (found.told, found.found) != (None, None):
        console.print(f"  told     {escape(json.dumps(found.told, ensure_ascii=False))}")
        console.print(f"  derived  {escape(json.dumps(found.found, ensure_ascii=False))}")
    console.print(f"  until then {counted}")


def _amount(pence: int) -> str:
    return f"{pence // 100:,}.{pence % 100:02}"
