"""The pure commands need nothing but the rules: a checker of results must be small enough to trust."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.cli.main import COMMANDS

pytestmark = pytest.mark.processes

FOREIGN = ("django", "rest_framework", "celery", "kombu", "psycopg", "redis", "sqlite3", "httpx")
SHOW_MODULES = (
    "import runpy, sys\n"
    "sys.argv = ['racecard', *sys.argv[1:]]\n"
    "try:\n"
    "    runpy.run_module('config.cli.main', run_name='__main__')\n"
    "except SystemExit as ended:\n"
    "    assert not ended.code, ended.code\n"
    "print('MODULES', *sys.modules)\n"
)
WHOLE = Path(__file__).parents[1] / "golden" / "racing-aces.json"
VEGAS = WHOLE.with_name("vegas-draw-3-complete.json")


def python(*arguments, code=0):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def imported(*arguments):
    return set(python("-c", SHOW_MODULES, *arguments).stdout.rpartition("MODULES")[2].split())


def without_django(modules):
    return not [module for module in modules if module.partition(".")[0] in FOREIGN]


@pytest.mark.parametrize(
    "case",
    [
        "verify",
        "simulate",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("rejudge", "rtp", "compare")),
    ],
)
def test_no_django_is_imported(case, tmp_path):
    modules = imported(
        *{
            "verify": ["verify", WHOLE],
            "rejudge": ["rejudge", VEGAS, "--config", "win_rate=1/13"],
            "simulate": ["simulate", "racing-aces", "--games", "1", "--out", tmp_path],
            "rtp": ["rtp", "--draw", "3", "--games", "4", "--jobs", "2"],
            "compare": ["compare", "ace-race", "--bots", "steady,random", "--games", "4", "--jobs", "2"],
        }[case]
    )
    assert "config.cli.main" in modules or "typer" in modules
    assert without_django(modules)


def test_help_lists_every_command_without_django():
    printed = python("-c", SHOW_MODULES, "--help").stdout
    for name in COMMANDS:
        assert name in printed.partition("MODULES")[0]
    assert without_django(printed.rpartition("MODULES")[2].split())


def test_a_command_is_found_behind_other_arguments():
    assert "cannot be read" in python("-m", "config.cli.main", "--", "verify", "/nowhere", code=1).stdout


def test_an_unknown_command_is_refused():
    assert "verify" in python("-m", "config.cli.main", "verifi", code=2).stderr


MONEY = {
    "ledger",
    "ledger.splits",
    "ledger.stakes",
    "ledger.stakes.terms",
}
"""The arithmetic of a pot, by which a bundle of a staked table proves who was paid what."""


def test_the_checker_itself_needs_the_standard_library_alone():
    check = (
        "import sys; sys.modules['orjson'] = None; before = set(sys.modules); "
        "import games.bots; from games.rules.bundles.verification import read, verify; "
        f"assert verify(read({VEGAS.read_bytes()})).ok; "
        "print(*{name for name in set(sys.modules) - before "
        "if name.partition('.')[0] not in sys.stdlib_module_names})"
    )
    needed = set(python("-c", check).stdout.split())
    assert {name.partition(".")[0] for name in needed} == {"core", "games", "eventstore", "ledger"}
    assert {name for name in needed if name.startswith("core.")} == {"core.checks", "core.compiled"}
    assert {name for name in needed if name.startswith("ledger")} == MONEY
