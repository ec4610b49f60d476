"""The catalogue of rules for clients: schemas, rulings, and texts."""

import json
import random

import pytest
from jsonschema_rs import Draft202012Validator, ValidationError, validate

from games import bots
from games.bots.simulation import simulate
from games.rules import Refused, catalogue, get

GAMES = {entry["slug"]: entry for entry in catalogue()}


def test_the_catalogue_is_json_and_names_the_games():
    assert json.loads(json.dumps(catalogue())) == catalogue()
    assert [(slug, entry["version"], entry["seats"]) for slug, entry in GAMES.items()] == [
        ("racing-aces", 1, list(range(9))),
        ("vegas-solitaire", 1, [1]),
        ("idle-aces", 1, [1]),
        ("ace-race", 1, [2, 3, 4, 6]),
        ("racing-demons", 1, list(range(2, 13))),
    ]


@pytest.mark.parametrize("slug", GAMES)
def test_rulings_have_a_key_a_reference_and_a_sentence(slug):
    rulings = GAMES[slug]["rulings"]
    assert len({ruling["key"] for ruling in rulings}) == len(rulings)
    for ruling in rulings:
        assert ruling["reference"].startswith("RULEBOOK ")
        assert ruling["text"].endswith(".")


@pytest.mark.parametrize(
    ("slug", "config"),
    [
        ("racing-aces", {}),
        ("racing-aces", {"finish_line": 13, "burn": 3, "cards_per_draw": 4}),
        ("racing-aces", {"suits": "chosen"}),
        ("vegas-solitaire", {"draw": 1}),
        ("vegas-solitaire", {"draw": 3, "stake": 104, "win_rate": "5/52"}),
        ("idle-aces", {}),
        ("idle-aces", {"redeals": 2}),
    ],
)
def test_configs_fit_their_schema(slug, config):
    schema = GAMES[slug]["config_schema"]
    validate(schema, config)
    game = get(slug)
    validate(schema, game.config_json(game.parse_config(config)))


@pytest.mark.parametrize(
    ("slug", "config"),
    [
        ("racing-aces", {"finish_line": 14}),
        ("racing-aces", {"pace": 1}),
        ("racing-aces", {"suits": "hearts"}),
        ("vegas-solitaire", {}),
        ("vegas-solitaire", {"draw": 2}),
        ("vegas-solitaire", {"draw": 3, "stake": 105}),
        ("vegas-solitaire", {"draw": 3, "win_rate": "half"}),
        ("idle-aces", {"redeals": 3}),
        ("idle-aces", {"redeals": "1"}),
    ],
)
def test_the_schema_refuses_what_the_rules_refuse(slug, config):
    with pytest.raises(ValidationError):
        validate(GAMES[slug]["config_schema"], config)
    with pytest.raises(ValueError):
        get(slug).parse_config(config)


@pytest.mark.parametrize("slug", GAMES)
def test_every_move_played_fits_the_schema(slug):
    game = get(slug)
    config = game.parse_config({"draw": 3} if slug == "vegas-solitaire" else {})
    played = simulate(
        game, config, seats=min(game.seats), bots=[bots.get(slug, "random")], seed="s", number=1
    )
    moves = [event["data"]["move"] for event in played.bundle["events"] if "move" in event["data"]]
    assert moves
    schema = Draft202012Validator(GAMES[slug]["move_schema"])
    for move in moves:
        schema.validate(move)


def test_form_and_schema_agree_on_malformed_moves():
    rng = random.Random(5)
    game = get("vegas-solitaire")
    schema = Draft202012Validator(GAMES["vegas-solitaire"]["move_schema"])
    values = [
        "draw",
        "move",
        "flip",
        "waste",
        "column:3",
        "column:7",
        "foundation",
        "foundation:H",
        0,
        3,
        7,
        -1,
        None,
        [],
    ]
    verdicts = set()
    for _ in range(800):
        move = {
            key: rng.choice(values)
            for key in rng.sample(["type", "from", "to", "count", "column"], rng.randint(0, 4))
        }
        try:
            game.check_form(move)
            formed = True
        except Refused:
            formed = False
        assert formed == schema.is_valid(move), move
        verdicts.add(formed)
    assert verdicts == {True, False}
