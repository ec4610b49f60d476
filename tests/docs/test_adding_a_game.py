"""The guide to a new game names what there is."""

import re
from dataclasses import fields
from pathlib import Path

from games.rules.manifest import Manifest
from games.rules.protocol import Game
from tournaments.formats.protocol import Format

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "adding-a-game.md").read_text("utf-8")


def named(section: str) -> set[str]:
    """The members in the first column of the section's table."""
    text = GUIDE.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


def test_every_member_of_a_manifest_is_described():
    assert named("The manifest") == {field.name for field in fields(Manifest)}


def test_members_of_rules_and_formats_are_there():
    assert named("The rules") <= vars(Game).keys() | Game.__annotations__.keys()
    assert named("A format") <= set(vars(Format))
