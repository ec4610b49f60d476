"""A finished game under another reading of the rules: the same moves, up to the first event that differs."""

import json
from pathlib import Path

import pytest

from games import bots
from games.bots.simulation import simulate
from games.rules import ConfigError, catalogue, get
from games.rules.bundles.readings import CannotReread, outcome_under, reread
from games.rules.registry import options

GOLDEN = Path(__file__).parents[2] / "golden"
CONFIGS = {"vegas-solitaire": {"draw": 3, "stake": 520}, "racing-demons": {"time_limit": 60}}
TABLES = [
    (entry["slug"], seats) for entry in catalogue() for seats in {entry["seats"][0], entry["seats"][-1]}
]


class Stubborn:
    """A bot that never ends its game."""

    name = "stubborn"

    def choose(self, observation, rng):
        going_on = [move for move in observation.legal_moves if move["type"] not in ("resign", "collect")]
        return rng.choice(going_on or observation.legal_moves)


def played(slug, seats, number=1, bot=None, **config):
    game = get(slug)
    settings = game.parse_config(CONFIGS.get(slug, {}) | config)
    player = bot or bots.get(slug, "random")
    return simulate(game, settings, seats=seats, bots=[player], seed="readings", number=number).bundle


def first_that(found, slug, seats, changes, bot=None, **config):
    """Return the first of some games whose other reading fulfils the condition."""
    for number in range(60):
        reading = reread(played(slug, seats, number, bot, **config), changes)
        if found(reading):
            return reading
    raise AssertionError("none of sixty games")


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_under_its_own_reading_no_event_of_a_game_differs(slug, seats):
    bundle = played(slug, seats)
    config = bundle["game"]["config"]
    own = {key: config[key] for key in options(get(slug)) if key in config}
    reading = reread(bundle, own)
    assert (reading.otherwise, reading.choice) == (None, None)
    assert reading.events == len(bundle["events"])
    assert json.loads(json.dumps(reading.document()))["same"] is True


def test_the_options_are_those_of_the_rulebook():
    assert {entry["slug"]: list(options(get(entry["slug"]))) for entry in catalogue()} == {
        "racing-aces": ["suits"],
        "vegas-solitaire": ["win_rate"],
        "idle-aces": ["redeals"],
        "ace-race": ["continuation"],
        "racing-demons": ["pace", "stuck"],
    }
    for entry in catalogue():
        rulings = {ruling["key"] for ruling in entry["rulings"]}
        assert {option["ruling"] for option in entry["options"]} <= rulings


def test_a_card_that_continues_a_continuation_is_refused_by_the_strict_reading():
    reading = first_that(
        lambda reading: reading.otherwise, "ace-race", 2, {"continuation": "strict"}, continuation="chained"
    )
    assert reading.otherwise.how == "refused"
    assert reading.otherwise.instead["code"] in ("wrong-rank", "rule-forbids")
    assert reading.choice <= reading.otherwise.version


def test_the_chained_reading_allows_more_moves_and_refuses_none():
    reading = first_that(lambda reading: reading.choice, "ace-race", 2, {"continuation": "chained"})
    assert reading.otherwise is None


def test_with_one_more_redeal_a_lost_game_continues():
    bundle = played("idle-aces", 1, bot=Stubborn())
    assert bundle["outcome"]["result"] == "lost"
    reading = reread(bundle, {"redeals": 2})
    assert (reading.otherwise.how, reading.otherwise.version) == ("goes-on", len(bundle["events"]) - 1)
    assert reading.otherwise.recorded == bundle["outcome"]


def test_with_one_redeal_less_a_game_is_lost_earlier():
    bundle = played("idle-aces", 1, bot=Stubborn())
    reading = reread(bundle, {"redeals": 0})
    assert reading.otherwise.how in ("ends-earlier", "refused")
    redeal = next(event["version"] for event in bundle["events"] if event["type"] == "redeal")
    assert reading.otherwise.version <= redeal
    if reading.otherwise.how == "ends-earlier":
        assert reading.otherwise.instead["result"] == "lost"


def test_another_pay_table_changes_the_winnings():
    reading = first_that(
        lambda reading: reading.otherwise,
        "vegas-solitaire",
        1,
        {"win_rate": "5/52"},
        bots.get("vegas-solitaire"),
    )
    assert reading.otherwise.how == "facts"
    recorded, instead = reading.otherwise.recorded, reading.otherwise.instead
    assert recorded["cards"] == instead["cards"]
    assert (recorded["winnings"], instead["winnings"]) == (40 * recorded["cards"], 50 * recorded["cards"])
    bundle = played("vegas-solitaire", 1, 0, bots.get("vegas-solitaire"))
    outcome = outcome_under(bundle, reread(bundle, {"win_rate": "5/52"}))
    assert outcome == {**bundle["outcome"], "winnings": 50 * bundle["outcome"]["cards"]}


def test_with_the_option_end_a_race_ends_earlier():
    reading = first_that(lambda reading: reading.otherwise, "racing-demons", 2, {"stuck": "end"})
    assert reading.otherwise.how == "ends-earlier"
    assert reading.otherwise.instead["result"] == "stuck"


def test_a_reading_under_which_the_game_continues_has_no_outcome():
    bundle = played("idle-aces", 1, bot=Stubborn())
    assert outcome_under(bundle, reread(bundle, {"redeals": 2})) is None
    assert outcome_under(bundle, reread(bundle, {"redeals": 1})) == bundle["outcome"]


def test_a_move_of_a_race_that_is_out_of_turn_is_refused_under_turns():
    reading = first_that(lambda reading: reading.otherwise, "racing-demons", 3, {"pace": "turns"})
    assert reading.otherwise.instead["code"] in ("not-your-turn", "rule-forbids")


def test_several_options_can_be_changed_together():
    reading = first_that(
        lambda reading: reading.otherwise, "racing-demons", 2, {"pace": "race", "stuck": "end"}, pace="turns"
    )
    assert reading.changed == {"pace": "race", "stuck": "end"}


@pytest.mark.parametrize(
    ("slug", "changes", "why"),
    [
        (
            "racing-aces",
            {"finish_line": 8},
            "`finish_line` is no option of Racing Aces; its options are suits",
        ),
        ("vegas-solitaire", {"draw": 1}, "its options are win_rate"),
        ("vegas-solitaire", {"stake": 104}, "no option"),
        ("racing-demons", {"time_limit": 90}, "its options are pace, stuck"),
        ("ace-race", {"dealer": 1}, "no option"),
    ],
)
def test_agreed_terms_cannot_be_read_differently(slug, changes, why):
    with pytest.raises(CannotReread, match=why.replace("`", ".")):
        reread(played(slug, min(get(slug).seats)), changes)


def test_an_unknown_value_of_an_option_is_refused():
    with pytest.raises(ConfigError):
        reread(played("idle-aces", 1), {"redeals": 3})
    with pytest.raises(ConfigError):
        reread(played("vegas-solitaire", 1), {"win_rate": "1/7"})


def test_a_bundle_that_does_not_verify_is_not_read_again():
    bundle = played("idle-aces", 1)
    broken = json.loads(json.dumps(bundle))
    broken["events"][4]["at"] = broken["events"][3]["at"]
    with pytest.raises(CannotReread, match="event 5"):
        reread(broken, {"redeals": 2})
    running = json.loads(json.dumps(bundle))
    del running["events"][-2:]
    running["game"]["server_seed"] = running["outcome"] = None
    with pytest.raises(CannotReread, match="not over"):
        reread(running, {"redeals": 2})
    with pytest.raises(CannotReread):
        reread({"format": "something else"}, {})


def test_a_void_game_does_not_differ():
    golden = json.loads((GOLDEN / "vegas-void-refunded.json").read_text())
    assert reread(golden, {"win_rate": "5/52"}).otherwise is None
