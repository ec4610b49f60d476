"""The tables and the plot of docs/scaling.md, from measured figures and assumptions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from tools.scaling import capacity, evening
from tools.scaling.figures import (
    ASSUMPTIONS,
    HERE,
    MEASURED,
    Assumptions,
    Costs,
    assumptions,
    costs,
    measured,
)
from tools.scaling.record import MODEL, knee_of

DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
KINDS = {
    "web": "web processes",
    "streams": "process for event streams",
    "worker": "worker",
    "ticker": "ticker",
    "postgresql": "PostgreSQL",
    "redis": "Redis",
    "generator": "the load generator",
    "others": "everything else on the machine",
}
STEPS_OF_ACCOUNTS = (200, 2_000, 20_000, 200_000, 1_000_000)
QUIET = 0.2
"""The most that other work on the machine may use of a core."""
LARGEST = "large"
"""The largest host for a primary in the table of sizes."""
MOVES_OF_A_RUN = 12_000
SEED = 20


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)])


def rounded(number: float) -> str:
    """Return two significant digits, since no more are meant: 1,234 becomes 1,200."""
    if number < 10:
        return f"{number:.1f}"
    digits = len(str(int(number))) - 2
    return f"{round(number, -digits):,.0f}"


# --- measured ---


def load() -> str:
    """The steps of each series, and where the time of a move goes."""
    found = measured()
    return "\n\n".join(
        part for database in DATABASES if database in found for part in _series(database, found[database])
    )


def _series(database: str, report: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{DATABASES[database]} {report['version']}, measured on {report['date']} UTC at {report['commit']}: "
        f"{report['machine']}, Python {report['python']}; a flush of 8 KiB took {report['flush_ms']:.2f} ms."
    )
    for number in sorted(int(name.removeprefix("web_")) for name in report if name.startswith("web_")):
        steps = report[f"web_{number}"]
        at = knee_of(steps)
        yield f"**{number} web process{'es' if number > 1 else ''}:** {_verdict(steps, at)}"
        yield table(
            (
                "People",
                "Moves due a second",
                "Moves answered",
                "Requests",
                "p50 ms",
                "p99 ms",
                "p99 of an event ms",
            ),
            [
                (
                    f"{step['people']:,}{' (knee)' if step is at and step['good'] else ''}",
                    *(
                        f"{step[name]:.0f}"
                        for name in ("due", "moves", "requests", "p50_ms", "p99_ms", "event_p99_ms")
                    ),
                )
                for step in steps
                if step["people"]
            ],
        )
    if text := caveat(at):
        yield text
    yield _where(at)


def caveat(at: Mapping[str, Any]) -> str:
    """Say that a step was measured with much other work on the machine; empty if it was not."""
    others = at["processor"].get("others", 0.0)
    if others <= QUIET:
        return ""
    return (
        f"**Preliminary:** other work on the machine used {100 * others:.0f} % of a core meanwhile. The knee "
        "and the times mean nothing then, and processor times may be several times too high. What is computed from "
        "them may be off by as much, and supports no conclusion until a quiet machine was measured."
    )


def _computed(text: str) -> str:
    """Return a computed table below the caveat of the costs from which it was computed."""
    report = measured()[MODEL]
    steps = report[max(name for name in report if name.startswith("web_"))]
    return "\n\n".join(filter(None, (caveat(knee_of(steps)), text)))


def _verdict(steps: Sequence[Mapping[str, Any]], at: Mapping[str, Any]) -> str:
    if not at["good"]:
        return f"beyond the knee already with {at['people']:,} people."
    if all(step["good"] for step in steps):
        return f"no knee up to {at['people']:,} people."
    return f"the knee is at {at['people']:,} people and {at['moves']:.0f} moves a second."


def _where(at: Mapping[str, Any]) -> str:
    moves = at["moves"]
    rows = [
        (KINDS[kind], f"{100 * share:.0f} %", f"{1000 * share / moves:.2f}")
        for kind, share in sorted(at["processor"].items(), key=lambda item: -item[1])
    ]
    text = table(("Where the time goes at the knee", "Of a core", "ms for each move"), rows)
    if not at["transactions"]:
        return text
    return (
        f"{text}\n\nFor each move: {at['requests'] / moves:.1f} requests, {at['statements'] / moves:.1f} statements, "
        f"{at['transactions'] / moves:.1f} transactions, and {at['fsyncs'] / moves:.2f} flushes of the log. "
        f"{at['wal_bytes'] / at['events']:,.0f} bytes of the log for each event."
    )


# --- computed ---


def primary() -> str:
    """What a primary carries by hardware, and what ends first."""
    given, spent = assumptions(), costs()
    rows = []
    for hardware in given.hardware.values():
        for alone in (False, True):
            found = capacity.limits(spent, hardware, given, alone=alone)
            name, moves = found.first()
            first = f"{rounded(moves)} ({name})"
            if name == "connections":
                name, moves = replace(found, connections=inf).first()
                first += f"; with PgBouncer {rounded(moves)} ({name})"
            rows.append(
                (
                    hardware.title if not alone else "the same, for PostgreSQL alone",
                    *(
                        rounded(each)
                        for each in (found.processor, found.flushes, found.log, found.connections)
                    ),
                    first,
                    rounded(capacity.people_of(moves, given)),
                    rounded(capacity.writes_of_a_row(spent, hardware)),
                )
            )
    heads = (
        *("Host", "Processor", "Flushes", "Log", "Connections", "First limit, moves a second"),
        *("People online", "Writes a second to one row"),
    )
    return _computed(table(heads, rows))


def space() -> str:
    """What a year stores."""
    given, spent = assumptions(), costs()
    rows = []
    for accounts in STEPS_OF_ACCOUNTS:
        site = given.with_accounts(accounts)
        asked = capacity.demand(site)
        year = capacity.stored_a_year(spent, site)
        rows.append(
            (
                f"{accounts:,}",
                rounded(asked.events),
                f"{rounded(asked.events * spent.log_bytes / 1e6)} MB",
                _bytes(year / 12),
                _bytes(year),
            )
        )
    heads = (
        "Accounts",
        "Events a second at the peak",
        "Log a second",
        "Stored in a month",
        "Stored in a year",
    )
    return _computed(table(heads, rows))


def _bytes(number: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{rounded(number / size)} {unit}"
    return f"{rounded(number / 1e3)} kB"


def sizes() -> str:
    """What each number of accounts needs."""
    given, spent = assumptions(), costs()
    rows = []
    for accounts in STEPS_OF_ACCOUNTS:
        site = given.with_accounts(accounts)
        size = capacity.size_for(spent, site, LARGEST)
        low, high = size.price(site)
        each = size.fleet
        hosts = f"{site.hardware[size.primary].title}"
        if not size.is_one_host:
            hosts = (
                f"primary and {size.standbys} standbys of {hosts}, and {size.hosts} hosts of "
                f"{site.hardware[capacity.HOST].title}"
            )
        if size.sites > 1:
            hosts = f"{size.sites} sites, each: {hosts}"
        rows.append(
            (
                f"{accounts:,}",
                rounded(site.site.people),
                rounded(size.asked.moves),
                hosts,
                f"{each.web} / {each.streams} / {each.workers}",
                f"{low:,}–{high:,}" if high else "none",
            )
        )
    heads = (
        *("Accounts", "People online", "Moves a second", "Hosts"),
        *("Processes of a site: web / streams / workers", "EUR a month"),
    )
    return _computed(table(heads, rows))


def demanded() -> str:
    """The demand of the assumed evening, next to what the load generator's people asked for."""
    given, spent = assumptions(), costs()
    asked = capacity.demand(given)
    rows = [
        ("people online, guests included", rounded(given.site.people)),
        ("moves a second", rounded(asked.moves)),
        ("events a second", rounded(asked.events)),
        ("requests a second", rounded(asked.requests)),
        (
            "requests for each move; in `bench load`",
            f"{asked.requests / asked.moves:.1f}; {spent.requests_a_move:.1f}",
        ),
        ("events sent to readers, a second", rounded(asked.deliveries)),
        ("open event streams", rounded(asked.streams)),
        ("bets a second", rounded(asked.bets)),
        ("games for money that begin, a second", rounded(asked.staked)),
        ("cores of the databases, fully used", rounded(capacity.fleet(spent, given).database_cores)),
    ]
    return _computed(table(("At the peak of the evening", "Computed"), rows))


def tornado() -> str:
    """How much the answer depends on each assumption, the strongest first."""
    given, spent = assumptions(), costs()
    base = capacity.fleet(spent, given).database_cores
    found = capacity.tornado(spent, given)
    ordered = sorted(found.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
    rows = [(name, f"{low:.0f}", f"{high:.0f}", f"{_bar(low, high, base)}") for name, (low, high) in ordered]
    return _computed(
        table(("Assumption", "Halved", "Doubled", f"Fewer, and more than {base:.0f} cores"), rows)
    )


def _bar(low: float, high: float, base: float) -> str:
    """Return a bar of text: how far both ends are from the base, a block for each twentieth of it."""
    ends = sorted((low, high))
    left, right = (round(20 * abs(end - base) / base) for end in ends)
    return f"`{'▒' * left:>20}│{'█' * right}`"


# --- simulated ---


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to serve the evening: so many equal sites, each with a primary on this hardware."""

    sites: int
    hardware: str

    def name(self, given: Assumptions) -> str:
        cores = given.hardware[self.hardware].cores
        return f"{self.sites} site{'s' if self.sites > 1 else ''} with {cores} cores"

    def hosts(self, spent: Costs, given: Assumptions) -> evening.Hosts:
        each, hardware = capacity.fleet(spent, given, self.sites), given.hardware[self.hardware]
        cores = max(1, round(hardware.cores**given.engine.scaling))
        return evening.Hosts(each.web, each.streams, cores, hardware.flush_ms / 1000)


def plans(spent: Costs, given: Assumptions) -> list[Plan]:
    """Return three numbers of sites around what the arithmetic says, and one site on the largest host."""
    sites = capacity.size_for(spent, given, LARGEST).sites
    counts = sorted({max(1, ceil(sites / 2)), max(1, ceil(sites * 0.75)), sites})
    return [*(Plan(number, LARGEST) for number in counts), Plan(1, list(given.hardware)[-1])]


def evenings(spent: Costs, given: Assumptions) -> Mapping[Plan, Sequence[evening.Result]]:
    """Simulate one site of each plan at each half hour."""
    wanted = [(plan, share) for plan in plans(spent, given) for share in given.evening.shares]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(partial(_half_hour, spent, given), wanted))
    found: dict[Plan, list[evening.Result]] = {}
    for (plan, _), result in zip(wanted, results, strict=True):
        found.setdefault(plan, []).append(result)
    return found


def _half_hour(spent: Costs, given: Assumptions, wanted: tuple[Plan, float]) -> evening.Result:
    plan, share = wanted
    part = share / plan.sites
    seconds = max(3.0, MOVES_OF_A_RUN / (capacity.demand(given).moves * part))
    return evening.simulate(spent, given, plan.hosts(spent, given), share=part, seconds=seconds, seed=SEED)


def simulated(found: Mapping[Plan, Sequence[evening.Result]], given: Assumptions, spent: Costs) -> str:
    rows = []
    for plan, results in found.items():
        peak = max(results, key=lambda result: result.moves)
        hosts = plan.hosts(spent, given)
        rows.append(
            (
                plan.name(given),
                f"{hosts.web} / {hosts.streams}",
                rounded(peak.moves),
                f"{peak.p50_ms:.0f}",
                f"{peak.p99_ms:,.0f}",
                f"{100 * peak.database:.0f} %",
                rounded(peak.flushes),
                "yes" if peak.p99_ms <= given.engine.late_ms else "no",
            )
        )
    heads = (
        *("Plan", "Web / streams of a site", "Moves a second of a site", "p50 ms", "p99 ms", "Database busy"),
        *("Flushes a second", f"p99 within {given.engine.late_ms:.0f} ms"),
    )
    return f"<!-- inputs: {digest()} -->\n\n{_computed(table(heads, rows))}"


def digest() -> str:
    """Return a digest of all that the simulation depends on, so that a test need not repeat it."""
    inputs = hashlib.sha256()
    for path in (
        ASSUMPTIONS,
        MEASURED,
        *(HERE / name for name in ("evening.py", "capacity.py", "figures.py")),
    ):
        inputs.update(path.read_bytes())
    return inputs.hexdigest()[:16]


def plot(found: Mapping[Plan, Sequence[evening.Result]], given: Assumptions) -> str:
    """Draw the 99th percentile of a move over the evening, for each plan, as SVG."""
    import pygal
    from pygal.style import Style

    start = given.evening.start
    chart = pygal.Line(
        width=860,
        height=420,
        logarithmic=True,
        js=[],
        no_prefix=True,
        disable_xml_declaration=True,
        legend_at_bottom=True,
        legend_at_bottom_columns=2,
        dots_size=3,
        title="99th percentile of a move, 1,000,000 accounts (ms, logarithmic)",
        x_label_rotation=0,
        value_formatter=lambda value: f"{value:,.0f} ms",
        style=Style(
            background="white",
            plot_background="white",
            font_family="sans-serif",
            guide_stroke_color="#d8d8d8",
            guide_stroke_dasharray="",
            major_guide_stroke_color="#d8d8d8",
            major_guide_stroke_dasharray="",
            colors=("#0b6e4f", "#c8553d", "#3a5a98", "#8a5a00"),
        ),
    )
    chart.y_labels = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
    hours = [start + number / 2 for number in range(len(given.evening.shares))]
    chart.x_labels = [f"{int(hour) % 24}:{'30' if hour % 1 else '00'}" for hour in hours]
    for number, (plan, results) in enumerate(found.items()):
        dashes = {
            "stroke_style": {"width": 2, "dasharray": "" if number == 0 else f"{3 * number}, {2 * number}"}
        }
        chart.add(plan.name(given), [round(result.p99_ms, 1) for result in results], **dashes)
    chart.add("limit", [given.engine.late_ms] * len(hours), show_dots=False, stroke_style={"width": 1})
    chart.add_xml_filter(_without_scripts)
    return str(chart.render(is_unicode=True))


def _without_scripts(drawing: Element) -> Element:
    for parent in list(drawing.iter()):
        for child in parent.findall("script"):
            parent.remove(child)
    return drawing


BLOCKS: Mapping[str, Callable[[], str]] = {
    "sizes": sizes,
    "load": load,
    "primary": primary,
    "space": space,
    "demand": demanded,
    "tornado": tornado,
}
"""The tables that are quick to compute, by the name of their block in docs/scaling.md."""
PLOT = Path(__file__).resolve().parent.parent.parent / "docs" / "plots" / "evening.svg"
