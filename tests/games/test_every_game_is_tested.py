"""Tests that run with every game have a case for every registered game."""

from games.rules.registry import manifests
from tests.audit.mixed_games import MIX
from tests.games import tables
from tests.games.bots.test_bots_see_only_their_seat import TABLES
from tests.games.rules.test_actions import CONFIGS
from tests.secrecy import visits
from tests.secrecy.test_rules import SETTINGS
from tests.secrecy.worlds import TEXTS


def test_no_game_is_missing():
    for cases in (MIX, TABLES, CONFIGS):
        assert {slug for slug, *_ in cases} == manifests().keys()
    for by_game in (tables.CONFIGS, visits.CONFIGS, SETTINGS, TEXTS):
        assert by_game.keys() == manifests().keys()
