"""The language of each block of the documentation says how it is checked."""

from __future__ import annotations

import ast
import json
import re
import shlex
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import pytest
import typer.main
import yaml
from django.core.management import get_commands, load_command_class
from typer.testing import CliRunner

from config.cli.main import COMMANDS, application
from tests.installation import ROOT
from tools import python_client
from tools.reference import DESCRIPTION, PREFIX

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
INDENTED = {"docs/rules.md"}
"""The rulebook is older than this test, and is not changed."""

RUN = {
    "docs/bot-api.md",
    "docs/tutorial.md",
    "docs/verification.md",
    "docs/adding-a-game.md",
    "docs/typescript-client.md",
}
"""Pages whose `bash`, `js`, and `html` blocks are run by tests of this folder, of tests/plugins, or of the clients."""

REDUCED = {
    "simulate": ("--games", "2"),
    "compare": ("--games", "2", "--playouts", "2"),
    "rtp": ("--games", "2"),
}
"""The commands of `sh` blocks that need nothing of the reader, and the options with which a test runs them."""


class Block(NamedTuple):
    page: str
    line: int
    language: str
    text: str


def blocks() -> Iterator[Block]:
    for path in PAGES:
        page, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        for found in re.finditer(r"^( *)```(\S*)\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE):
            yield Block(page, text.count("\n", 0, found.start()) + 1, found[2], found[3])


# --- commands -------------------------------------------------------------------------------------------


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command; those of a pipe are separate commands."""
    for line in text.replace("\\\n", " ").splitlines():
        reader = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        reader.whitespace_split = True
        words = list(reader)
        one: list[str] = []
        for word in [*words, "|"]:
            if set(word) <= set("|&;<>"):
                yield one
                one = []
            else:
                one.append(word)


def known_options(words: list[str]) -> set[str] | None:
    """The options of the command; None for a program that is not the project's. Raises KeyError if there is none."""
    if words[:2] == [".venv/bin/python", "manage.py"] or words[:1] == ["manage.py"]:
        _, _, name, *_ = ["", *words] if words[0] == "manage.py" else words
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        return options_of(parser)
    if words[:3] == ["python", "-m", "racecard_client.bot"] or words[:2] == ["racecard", "bot"]:
        python_client.generate()
        from racecard_client.bot.cli import make_parser

        return options_of(make_parser("racecard bot"))
    if words and words[0].removeprefix(".venv/bin/") == "racecard":
        assert words[1] in COMMANDS, words
        app: Any = typer.main.get_command(application(words[1]))
        command = app.commands[words[1]]
        for word in words[2:]:
            command = getattr(command, "commands", {}).get(word, command)
        return {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return None


def options_of(parser: Any) -> set[str]:
    found = set(parser._option_string_actions)
    for action in parser._actions:
        for below in (action.choices or {}).values() if isinstance(action.choices, dict) else ():
            found |= options_of(below)
    return found


def check_commands(block: Block) -> None:
    for words in commands(block.text):
        if (known := known_options(words)) is not None:
            used = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
            assert used <= known, words
        if words[:1] == ["make"]:
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), words


def check_session(block: Block) -> None:
    """Check the commands among their output."""
    typed = re.findall(r"^\$ (.*)$", block.text, re.MULTILINE)
    assert typed, "no line begins with `$ `"
    check_commands(block._replace(text="\n".join(typed)))


# --- data -----------------------------------------------------------------------------------------------


def check_request(block: Block) -> None:
    """Check a request against the description of the API."""
    head, _, body = block.text.partition("\n\n")
    method, path, _ = head.split(" ")
    assert path.startswith(PREFIX)
    description = json.loads(DESCRIPTION.read_text())
    pattern = re.sub(r"\{\w+\}", "{}", path)
    [operation] = [
        item[method.lower()]
        for known, item in description["paths"].items()
        if re.sub(r"\{\w+\}", "{}", known) == pattern and method.lower() in item
    ]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    validator = jsonschema_rs.validator_for({**schema, "components": description["components"]})
    assert list(validator.iter_errors(json.loads(body))) == []


def check_statement(block: Block) -> None:
    assert sqlite3.complete_statement(block.text)


def check_is_run(block: Block) -> None:
    assert block.page in RUN, "no test runs this page"


CHECKS: dict[str, Callable[[Block], object]] = {
    "ini": lambda block: ConfigParser().read_string(f"[section]\n{block.text}"),
    "bash": check_is_run,
    "js": check_is_run,
    "html": check_is_run,
    "sh": check_commands,
    "console": check_session,
    "http": check_request,
    "python": lambda block: ast.parse(block.text),
    "json": lambda block: json.loads(block.text),
    "toml": lambda block: tomllib.loads(block.text),
    "yaml": lambda block: yaml.safe_load(block.text),
    "sql": check_statement,
    "text": lambda block: None,
}
"""By language. `bash` is run; of `sh` and `console` the commands and options must exist; `text` is output or a form."""


def test_every_block_is_checked_by_its_language(subtests: pytest.Subtests) -> None:
    found = list(blocks())
    assert len(found) > 60
    for block in found:
        with subtests.test(page=block.page, line=block.line):
            assert block.language in CHECKS
            CHECKS[block.language](block)


@pytest.mark.nightly
@pytest.mark.slow
def test_simulations_run(subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [
        words[1:]
        for block in blocks()
        if block.language == "sh"
        for words in commands(block.text)
        if len(words) > 1 and words[0].endswith("racecard") and words[1] in REDUCED
    ]
    assert len(found) > 25
    for words in found:
        with subtests.test(command=" ".join(words)):
            reduced = [*words, *REDUCED[words[0]], "--jobs", "1"]
            done = CliRunner().invoke(application(words[0]), reduced)
            assert done.exit_code == 0, done.output


def test_no_block_is_without_a_language() -> None:
    """A block by indentation has none."""
    for path in PAGES:
        if str(path.relative_to(ROOT)) in INDENTED:
            continue
        text = re.sub(r"^( *)```.*?^\1```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        assert re.findall(r"\n\n((?: {4}|\t)\S.*)", text) == [], path
