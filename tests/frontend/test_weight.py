"""What a table weighs is counted over all that its first load asks for, and nothing else."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from tools.weight import BUDGET, ENTRY, PAGE, Weight, first_load

TEXTS = ["index", "table", "cards", "players"]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "client").mkdir()
    files = {
        "entry": "entry",
        "page": "new SharedWorker('/static/client/worker-Ab_1.js')",
        "board": "board",
        "cards": "cards",
        "lobby": "l" * 5000,
        **{f"text-{part}": part for part in [*TEXTS, "board"]},
    }
    for name, text in files.items():
        (tmp_path / "client" / f"{name}.js").write_text(text)
    (tmp_path / "client" / "worker-Ab_1.js").write_text("worker")
    (tmp_path / "client" / "cards.css").write_text(".card{}")
    chunks = {
        ENTRY: {"file": "client/entry.js", "dynamicImports": ["src/pages/Lobby.svelte", PAGE]},
        "src/pages/Lobby.svelte": {"file": "client/lobby.js"},
        PAGE: {"file": "client/page.js", "imports": [ENTRY, "_cards-x.js"]},
        "src/games/vegas-solitaire/Board.svelte": {"file": "client/board.js", "imports": ["_cards-x.js"]},
        "_cards-x.js": {"file": "client/cards.js", "name": "cards", "css": ["client/cards.css"]},
        "src/games/vegas-solitaire/en/board.ts": {"file": "client/text-board.js"},
        **{f"src/i18n/en/{part}.ts": {"file": f"client/text-{part}.js"} for part in TEXTS},
    }
    (tmp_path / "client" / "manifest.json").write_text(json.dumps(chunks))
    return tmp_path


def size(built: Path, *names: str) -> int:
    return sum(len(gzip.compress((built / "client" / name).read_bytes(), 6, mtime=0)) for name in names)


def test_each_file_is_counted_once_and_no_other_page(built: Path) -> None:
    scripts = [
        "entry",
        "page",
        "board",
        "cards",
        "worker-Ab_1",
        *(f"text-{part}" for part in [*TEXTS, "board"]),
    ]
    assert first_load("vegas-solitaire", "en", built) == Weight(
        js=size(built, *(f"{name}.js" for name in scripts)),
        css=size(built, "cards.css"),
        cards=size(built, "cards.js", "cards.css"),
    )


def test_what_exceeds_its_budget_is_named(built: Path) -> None:
    assert first_load("vegas-solitaire", "en", built).over() == []
    noise = random.Random(1).randbytes(BUDGET["js"]).hex()  # of which gzip leaves a little more than half
    (built / "client" / "board.js").write_text(noise)
    (built / "client" / "cards.css").write_text(noise[: 2 * BUDGET["css"]])
    assert first_load("vegas-solitaire", "en", built).over() == ["js", "css", "cards"]
