"""Games and formats are registered as entry points."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint, distribution
from pathlib import Path
from types import SimpleNamespace

import pytest

from games.rules import plugins
from games.rules.forms import MoveForms
from games.rules.idle_aces import IdleAces
from games.rules.manifest import BUY_IN_TABLE, Manifest, Stakes
from games.rules.plugins import FORMATS, GAMES, PluginError
from games.rules.registry import get, manifests, title

ROOT = Path(__file__).resolve().parents[3]


def test_the_installed_metadata_has_what_the_checkout_declares():
    for group in (GAMES, FORMATS):
        declared = {point.name: point.value for point in plugins._declared(group)}
        installed = {
            point.name: point.value for point in distribution("racecard").entry_points.select(group=group)
        }
        assert declared == installed
        assert declared


def test_without_a_checkout_the_installed_metadata_is_read(monkeypatch):
    monkeypatch.setattr(plugins, "_checkout", dict)
    assert plugins.load(GAMES, Manifest) == manifests()


@pytest.fixture
def installed(monkeypatch):
    """Register one more entry point."""

    def register(name, value, group=GAMES):
        points = (*plugins._installed(), EntryPoint(name, value, group))
        monkeypatch.setattr(plugins, "_installed", lambda: points)

    return register


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "bingo",
            "no_such_package:GAME",
            "'bingo' .*cannot be imported .ModuleNotFoundError: .*no_such_package",
        ),
        ("bingo", "games.rules.cards:NO_GAME", "'bingo' .*cannot be imported .AttributeError"),
        ("Bingo", "games.rules.ace_race.manifest:MANIFEST", "'Bingo' .*is no name"),
        ("b" * 41, "games.rules.ace_race.manifest:MANIFEST", "is no name of up to 40"),
        ("bingo", "games.rules.cards:PACK", "'bingo' .*is no Manifest"),
        ("bingo", "games.rules.ace_race.manifest:MANIFEST", "'bingo' .*has the slug 'ace-race'"),
        (
            "ace-race",
            "games.rules.ace_race.manifest:MANIFEST",
            "'ace-race' is registered by racecard .* and by",
        ),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_named(installed, name, value, why):
    installed(name, value)
    with pytest.raises(PluginError, match=why):
        plugins.load(GAMES, Manifest)


class Seated(IdleAces):
    """A game with a move that has the name of an event of the table."""

    forms = MoveForms({"seated": {}})


def test_a_contradictory_manifest_is_refused():
    rules = get("ace-race")
    for wrong in (
        {"versions": ()},
        {"versions": (rules, rules)},
        {"versions": (rules, get("idle-aces"))},
        {"versions": (rules,), "bots": (manifests()["ace-race"].bots[-1],)},
        {"versions": (Seated(),)},
        {"versions": (rules,), "stakes": Stakes("pot", {"table": BUY_IN_TABLE})},
    ):
        with pytest.raises(ValueError, match=r"."):
            Manifest(chapter="", **wrong)


def test_a_stake_table_has_one_game(monkeypatch):
    known = dict(manifests())
    known["idle-aces"] = replace(known["idle-aces"], stakes=known["racing-aces"].stakes)
    monkeypatch.setattr(plugins, "load", lambda group, kind: known)
    with pytest.raises(PluginError, match="'race-bets' is no stake table of idle-aces"):
        manifests.__wrapped__()


@pytest.mark.processes
def test_a_broken_plug_in_stops_the_start_with_its_name(tmp_path):
    metadata = tmp_path / "broken_game-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-game\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[racecard.games]\nbroken = broken_game:MANIFEST\n")
    (tmp_path / "broken_game.py").write_text("raise RuntimeError('no cards')\n")
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode
    assert (
        "'broken' of broken-game 1.0 (broken_game:MANIFEST) cannot be imported"
        in done.stderr.splitlines()[-1]
    )


def test_a_catalogue_entry_is_json_with_labels():
    for slug, about in manifests().items():
        schema = json.loads(json.dumps(about.newest.config_schema))
        for key, option in schema["properties"].items():
            assert option["title"], (slug, key)
            assert set(option.get("x-labels", {})) <= {str(value) for value in option.get("enum", ())}


def test_a_title_is_the_name_of_the_game_or_made_from_the_slug_of_a_removed_plug_in(monkeypatch):
    plug_in = SimpleNamespace(newest=SimpleNamespace(name="McRace"))
    monkeypatch.setattr("games.rules.registry.manifests", lambda: {"mc-race": plug_in})
    assert title("mc-race") == "McRace"
    assert title("ace-race") == "Ace race"
