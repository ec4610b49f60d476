"""Every refusal in a game has a code and a sentence that `GET rules/` contains."""

import json
import random
import re
import string
from pathlib import Path

import pytest

from games.bots.simulation import Lots
from games.rules import Refused, catalogue, get
from games.rules import table as tables
from games.rules.fairness import commitment
from games.rules.refusals import CODES, FORM_CODES, GROUNDS

ROOT = Path(__file__).parents[3]
ENTRIES = {entry["slug"]: entry for entry in catalogue()}
CONFIGS = {
    "racing-aces": [{}],
    "vegas-solitaire": [{"draw": 1}, {"draw": 3, "stake": 0}],
    "idle-aces": [{}],
    "ace-race": [{}, {"continuation": "chained", "previous_winner": 0}],
    "racing-demons": [{}, {"pace": "turns", "stuck": "end", "turn": 1}],
}
VALUES = [
    *(
        None,
        True,
        1.0,
        -1,
        0,
        1,
        2,
        3,
        7,
        99,
        "",
        "draw",
        "waste",
        "foundation",
        "foundation:H",
        "foundation:0",
    ),
    *("foundation:new", "column:3", "work:1", "twos:0", "kings:2", "aces", "demon", "X1", "AS", "7H", "KD.0"),
    *(["7H"], ["7H", "7H"], ["AS", "X1"], ["X1"], [{"card": "7H", "to": 0}], {"name": "high"}, "higher"),
    *({"name": "suits", "suit": "H"}, {"name": "above-below"}, [], {}),
]


def places(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def dealt(game, config, seats, number):
    seed = Lots("refusals", number).draw("server seed")
    table = tables.create(game, config, commitment=commitment(seed))
    table = tables.evolve(None, table.type, table.seat, table.data)
    for seat in range(seats):
        fact = tables.seat(table, seat, player=str(seat), seed="")
        table = tables.evolve(table, fact.type, fact.seat, fact.data)
    key = table.key(seed)
    fact = tables.deal(table, key)
    return tables.evolve(table, fact.type, fact.seat, fact.data, fact.private), key


def refusal(table, seat, move, key):
    try:
        tables.decide(table, seat, move, key)
    except Refused as refused:
        return refused
    return None


def distorted(move, shapes, rng):
    """Return a move with one or more wrong parts, or another move."""
    if rng.random() < 0.3:
        return {"type": rng.choice([*shapes, "fly"])} | {
            key: rng.choice(VALUES) for key in rng.choice(list(shapes.values()) or [[]]) if rng.random() < 0.8
        }
    made = dict(move)
    for _ in range(rng.randint(1, 2)):
        key = rng.choice([*made, *shapes.get(move["type"], []), "extra"])
        if rng.random() < 0.3:
            made.pop(key, None)
        else:
            made[key] = rng.choice(VALUES)
    return rng.choice([made] * 9 + [None, "draw", [made]])


@pytest.mark.parametrize("slug", ENTRIES)
def test_every_refusal_in_play_is_in_the_catalogue(slug):
    game, entry = get(slug), ENTRIES[slug]
    shapes = {
        shape["properties"]["type"]["const"]: [key for key in shape["properties"] if key != "type"]
        for shape in entry["move_schema"]["oneOf"]
    }
    sentences = {ruling["text"] for ruling in [*entry["rulings"], *entry["general"]]}
    codes = {refusal["code"] for refusal in entry["refusals"]}
    rng, met = random.Random(slug), set()
    for number, config in enumerate(CONFIGS[slug]):
        for seats in {game.seats[0], game.seats[-1]}:
            table, key = dealt(game, game.parse_config(config), seats, number)
            for _ in range(250):
                if table.ended:
                    break
                legal = {seat: table.legal_moves(seat) for seat in [None, *range(seats)]}
                moves = [move for each in legal.values() for move in each]
                for _ in range(4):
                    seat = rng.choice([None, 99, *range(seats), *table.to_act() * 4])
                    move = distorted(rng.choice(moves), shapes, rng)
                    if refused := refusal(table, seat, move, key):
                        assert refused.code in codes, refused
                        assert refused.rule in sentences, refused
                        assert refused.ruling.text == refused.rule
                        if refused.ground is not None:
                            assert places(GROUNDS[refused.ground.key]) == refused.ground.values.keys()
                            assert refused.fact
                            assert len(refused.fact) < 1000
                        met.add(refused.code)
                seat = rng.choice([seat for seat, each in legal.items() if each])
                on = [move for move in legal[seat] if move["type"] not in ("collect", "resign")]
                for fact in tables.decide(table, seat, rng.choice(on or legal[seat]), key):
                    table = tables.evolve(table, fact.type, fact.seat, fact.data, fact.private)
            with pytest.raises(Refused) as over:
                tables.decide(tables.evolve(table, "voided", None, {"reason": ""}), 0, rng.choice(moves), key)
            assert (over.value.code, over.value.rule in sentences) == ("game-over", True)
    assert {"unknown-move", "malformed-move", "not-your-turn"} <= met
    assert len(met) >= (3 if slug == "racing-aces" else 5), met


def test_the_codes_of_the_source_are_those_of_the_catalogue():
    sources = "".join(path.read_text() for path in (ROOT / "games" / "rules").rglob("*.py"))
    refused = set(
        re.findall(
            r'(?:Refused\(|return |else \(|or \(|\()\s*"([a-z]+(?:-[a-z]+)+)",\s+(?:Law|[A-Z_]+\b)', sources
        )
    )
    assert len(refused) > 12
    assert refused <= CODES.keys()


def test_the_grounds_of_the_source_are_those_of_the_catalogue():
    sources = [
        path.read_text() for path in (ROOT / "games" / "rules").rglob("*.py") if path.stem != "refusals"
    ]
    named = set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)+|shows|seated|dealt|complete)"', "".join(sources)))
    assert GROUNDS.keys() - {"not-higher", "not-lower"} <= named, "a ground that nothing names"
    assert set(re.findall(r'because\(\s*"([^"]+)"', "".join(sources))) <= GROUNDS.keys()


def test_the_documentation_of_errors_agrees_with_the_catalogue():
    page = (ROOT / "docs" / "errors.md").read_text()
    for code, about in CODES.items():
        status = 400 if code in FORM_CODES else 409
        if code != "seats-open":  # a problem of the table, documented with the others of its kind
            assert f'| <a id="{code}"></a>`{code}` | {status} | {about.meaning} |' in page


def test_the_catalogue_contains_the_refusals_common_to_all_games():
    for entry in ENTRIES.values():
        assert [refusal["code"] for refusal in entry["refusals"]] == list(CODES)
        assert {ruling["key"] for ruling in entry["general"]} >= {"form", "known-moves", "ended"}
    assert json.loads(json.dumps(list(ENTRIES.values()))) == list(ENTRIES.values())
