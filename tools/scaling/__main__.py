"""`python -m tools.scaling [record] [shards]`: compute the tables and the plot of docs/scaling.md again.

`record` first takes what `bench load` measured, from build/load/. `shards` first writes docs/shards.md from a new
PostgreSQL. `--check` compares instead of writing. The simulation takes about a minute; with `--check` only its inputs
are compared.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from tools.scaling import report, shards
from tools.scaling.figures import assumptions, costs
from tools.scaling.record import record
from tools.services import throw_away

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGE, RULES = DOCS / "scaling.md", DOCS / "shards.md"
SIMULATED = "evening"


class MissingBlock(Exception):
    """docs/scaling.md has no place for a table."""


def with_block(text: str, name: str, content: str) -> str:
    """Return the page with the content between the marks of the block. Raises MissingBlock."""
    marks = re.compile(rf"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
    if not marks.search(text):
        raise MissingBlock(name)
    return marks.sub(lambda found: f"{found[1]}\n{content}\n\n{found[2]}", text)


def with_tables(text: str) -> str:
    """Return the page with every table that is quick to compute."""
    for name, table in report.BLOCKS.items():
        text = with_block(text, name, table())
    return with_block(text, "shards", shards.summary(RULES.read_text(encoding="utf-8")))


def write_rules() -> None:
    """Write docs/shards.md from a new PostgreSQL with all migrations."""
    with throw_away() as (postgres, _):
        os.environ |= {"DATABASE_URL": postgres.url, "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ.pop("REDIS_URL", None)
        sys.path[:0] = [str(DOCS.parent / "platform")]
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            RULES.write_text(shards.page(shards.catalogue(cursor)), encoding="utf-8")
        connection.close()


def write() -> None:
    given, spent = assumptions(), costs()
    found = report.evenings(spent, given)
    text = with_tables(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(with_block(text, SIMULATED, report.simulated(found, given, spent)), encoding="utf-8")
    report.PLOT.parent.mkdir(exist_ok=True)
    report.PLOT.write_text(report.plot(found, given) + "\n", encoding="utf-8")


def is_current() -> bool:
    text = PAGE.read_text(encoding="utf-8")
    return with_tables(text) == text and f"<!-- inputs: {report.digest()} -->" in text


def main(arguments: list[str]) -> int:
    if "shards" in arguments:
        write_rules()
    if "record" in arguments:
        record()
    if "--check" in arguments:
        if not is_current():
            print("docs/scaling.md: not what the figures say; run `make scaling`", file=sys.stderr)
            return 1
        return 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
