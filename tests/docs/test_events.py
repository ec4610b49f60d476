"""docs/events.md lists every type of event."""

from __future__ import annotations

import inspect
import re

import pytest

from disputes import services as disputes
from disputes.rulings import services as rulings
from games.models import Lifted
from games.rules.manifest import RESERVED
from tests.installation import ROOT
from tournaments.formats import history
from tournaments.staff.console import WORDS

PAGE = (ROOT / "docs" / "events.md").read_text()


def listed(section: str) -> set[str]:
    """The types in the first column of the section's table."""
    text = PAGE.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}


def test_games() -> None:
    assert listed("Games") == RESERVED


def test_tournaments() -> None:
    cases = " ".join(re.findall(r"case (.*):", inspect.getsource(history.evolve)))
    folded = set(re.findall(r'"([a-z-]+)"', cases))
    assert len(folded) > 25
    assert listed("Tournaments") == set(re.findall(r"`([a-z-]+)`", inspect.getdoc(history) or ""))
    assert folded | WORDS.keys() <= listed("Tournaments")


@pytest.mark.parametrize("module", [disputes, rulings])
def test_disputes(module: object) -> None:
    source = inspect.getsource(module)  # type: ignore[arg-type]
    appended = set(re.findall(r'stream\.(?:append|begin)\(\s*dispute,\s*\("([a-z-]+)"', source))
    assert appended
    assert appended <= listed("Disputes")


def test_suspensions() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| suspensions of a game"))
    assert set(re.findall(r"`([a-z]+)`", row)) == {"suspended", *Lifted.values}
