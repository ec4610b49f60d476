"""docs/settings.md lists every variable of the environment that the settings read."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_variable_is_listed() -> None:
    code = "".join((ROOT / "platform" / "config" / name).read_text() for name in ("settings.py", "asgi.py"))
    read = set(re.findall(r'env(?:\.\w+)*\(\s*"([A-Z_]+)"|environ\.get\("([A-Z_]+)"', code))
    names = {name for pair in read for name in pair if name}
    assert {"RACECARD_DATA", "RACECARD_CURRENCY", "DATABASE_URL", "RACECARD_THREADS"} <= names
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))
    assert names - listed == set()
