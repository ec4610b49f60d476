"""The size of the first load of a table, gzipped, from the manifest of the web client's build.

`python -m tools.weight` prints it for every game. It counts all requests of the page until the table can be played:
the entry, the page, the game's board, the language's texts, the event stream's worker, and their imports.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.frontend import CLIENT, OUTPUT

BUDGET = {"js": 66_000, "css": 8_200, "cards": 3_000}
"""Bytes, gzipped."""

ENTRY = "index.html"
PAGE = "src/pages/Table.svelte"
TEXTS = ("index", "table", "cards", "players")
"""The catalogue itself, and the parts that the page names; the board's own is in its folder."""

CARDS = "cards"
"""The chunk that `vite.config.ts` keeps the cards in."""

Manifest = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes, gzipped."""

    js: int
    css: int
    cards: int

    def over(self) -> list[str]:
        """Which budgets it exceeds."""
        return [name for name, most in BUDGET.items() if getattr(self, name) > most]


def manifest(built: Path = OUTPUT) -> Manifest:
    """Of the build, which must be there."""
    document: Manifest = json.loads((built / "client" / "manifest.json").read_text())
    return document


def boards() -> list[str]:
    """The folders of the games, of which each has a board."""
    return sorted(path.parent.name for path in (CLIENT / "src" / "games").glob("*/Board.svelte"))


def first_load(board: str, language: str, built: Path = OUTPUT) -> Weight:
    """Of a table of the game in this folder, for a reader of this language ("en", "de", "pl")."""
    chunks = manifest(built)
    wanted = _first_chunks(chunks, board, language)
    parts = _files(chunks, [name for name in wanted if chunks[name].get("name") == CARDS and name[0] == "_"])
    files = first_files(board, language, built)
    return Weight(
        js=_gzipped(built, (file for file in files if file.endswith(".js"))),
        css=_gzipped(built, (file for file in files if file.endswith(".css"))),
        cards=_gzipped(built, parts),
    )


def first_files(board: str, language: str, built: Path = OUTPUT) -> set[str]:
    """The scripts and style sheets of that load, as paths in the build's folder."""
    chunks = manifest(built)
    files = _files(chunks, _first_chunks(chunks, board, language))
    return files | _worker(built, (file for file in files if file.endswith(".js")))


def _first_chunks(chunks: Manifest, board: str, language: str) -> set[str]:
    texts = [f"src/i18n/{language}/{part}.ts" for part in TEXTS]
    texts.append(f"src/games/{board}/{language}/board.ts")
    more = re.search(r"^  texts: \[(.*)\],$", _manifest_of(board), re.MULTILINE)
    texts += [f"src/i18n/{language}/{part}.ts" for part in re.findall(r'"([\w-]+)"', more[1] if more else "")]
    return _with_imports(chunks, [ENTRY, PAGE, f"src/games/{board}/Board.svelte", *texts])


def _manifest_of(board: str) -> str:
    """The source of a game's manifest; the generic board has none."""
    source = CLIENT / "src" / "games" / board / "manifest.ts"
    return source.read_text() if source.exists() else ""


def _files(chunks: Manifest, names: Iterable[str]) -> set[str]:
    return {file for name in names for file in (chunks[name]["file"], *chunks[name].get("css", ()))}


def _with_imports(chunks: Manifest, names: Iterable[str]) -> set[str]:
    waiting, found = list(names), set[str]()
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += chunks[name].get("imports", ())
    return found


def _worker(built: Path, scripts: Iterable[str]) -> set[str]:
    """The shared worker is named by an address in the script that starts it, not in the manifest."""
    named = re.compile(r"client/worker-[\w-]+\.js")
    return {match for script in scripts for match in named.findall((built / script).read_text())}


def _gzipped(built: Path, files: Iterable[str]) -> int:
    return sum(len(gzip.compress((built / file).read_bytes(), 6, mtime=0)) for file in files)


def main() -> int:
    over = []
    for board in boards():
        for language in ("en", "de", "pl"):
            weight = first_load(board, language)
            print(f"{board:16} {language}  js {weight.js:6}  css {weight.css:6}  cards {weight.cards:6}")
            over += [f"{board} ({language}): {name}" for name in weight.over()]
    for one in over:
        print(f"racecard: over its budget: {one}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
