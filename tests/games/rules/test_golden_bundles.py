"""Stored games that must verify in every later release, each with the same last hash."""

import hashlib
import json
from pathlib import Path

import pytest
import rfc8785

from games.rules.bundles.verification import read, verify
from games.rules.table import evolve

FOLDER = Path(__file__).parents[2] / "golden"

GOLDEN = {
    "ace-race-two-won-by-a-gift": (16, "fe16be54db640b04", {"money": "passed"}),
    "ace-race-two-won-with-an-ace": (18, "53b9d80ec0815752", {"money": "passed"}),
    "ace-race-three-above-below-on-a-joker": (25, "c4b7e2bb16927845", {"money": "passed"}),
    "ace-race-three-by-chance": (87, "95dfb7570863bfff", {"money": "passed"}),
    "ace-race-four-blocked": (26, "0f654c0e93ed4e33", {"money": "passed"}),
    "ace-race-four-expired": (25, "cb0bdb5368b793a3", {"money": "passed"}),
    "ace-race-six-won-by-a-gift": (22, "7ca89594cb3c813f", {"money": "passed"}),
    "ace-race-six-by-chance": (49, "4cb004b7fc2baa27", {"money": "passed"}),
    "idle-aces-by-chance-resigned": (662, "892deb0edd276c08", {"money": "passed"}),
    "idle-aces-expired": (7, "c035c7f19c310ac1", {"money": "passed"}),
    "idle-aces-lost-at-the-end": (242, "ed5cdace534846bb", {"money": "passed"}),
    "idle-aces-lost-by-the-last-draw": (180, "feeef4c96114b6ed", {"money": "passed"}),
    "idle-aces-won": (250, "2f50a8a7a487657f", {"money": "passed"}),
    "racing-aces": (27, "3d0f8f4717f1e3ef", {"money": "passed"}),
    "racing-aces-chosen-suits": (16, "e62de4119268e1c1", {"money": "passed"}),
    "racing-aces-no-winner": (12, "bdc6393a8c9392a7", {"money": "passed"}),
    "racing-aces-void-before-the-deal": (4, "4c817251b5b4e49d", {"deal": "not-run", "seals": "not-run"}),
    "racing-aces-with-bets": (35, "f295e27dbbd0ac7d", {"money": "not-run"}),
    "racing-aces-won-within-a-draw": (14, "f09157c3932584b3", {"money": "passed"}),
    "racing-demons-by-turns-with-absent-seats": (316, "b920792d81c20617", {"money": "passed"}),
    "racing-demons-eight-against-time": (211, "6b9e701b184d14f6", {"money": "passed"}),
    "racing-demons-race-burned-and-out": (321, "2dc161ac77d2e8e4", {"money": "passed"}),
    "racing-demons-turn-1-stuck": (145, "fdb0007152210ac6", {"money": "passed"}),
    "vegas-draw-1-complete-for-points": (132, "824e42fd13a4e64a", {"money": "passed"}),
    "vegas-draw-1-staked-5-52": (51, "cf6e6e1eb6cf7593", {"money": "passed"}),
    "vegas-draw-3-complete": (111, "ac9dd087433f356d", {"money": "passed"}),
    "vegas-every-kind-of-move": (155, "6a6c267639bfa138", {"money": "passed"}),
    "vegas-expired": (7, "7d6c5ca21c302f24", {"money": "passed"}),
    "vegas-of-a-tournament": (44, "8fd70e6a6727e96f", {"escrow": "not-run", "money": "not-run"}),
    "vegas-void-refunded": (5, "6b4b8083322a3c81", {"money": "passed"}),
}


def golden(name):
    return read((FOLDER / f"{name}.json").read_bytes())


def test_every_golden_bundle_is_listed():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GOLDEN)


@pytest.mark.compiled
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bundle_verifies(name):
    events, last_hash, verdicts = GOLDEN[name]
    bundle = golden(name)
    report = verify(bundle)
    assert report.ok, report.faults
    assert len(bundle["events"]) == events
    assert bundle["events"][-1]["hash"].startswith(last_hash)
    assert {check: report.checks[check] for check in verdicts} == verdicts
    assert all(verdict == "passed" for check, verdict in report.checks.items() if check not in verdicts)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_hashes_agree_with_another_implementation_of_rfc_8785(name):
    bundle = golden(name)
    for event in bundle["events"]:
        envelope = {key: event[key] for key in ("version", "type", "seat", "data", "seal", "at", "prev")}
        hashed = rfc8785.dumps(envelope | {"stream": bundle["game"]["id"]})
        assert hashlib.sha256(hashed).hexdigest() == event["hash"]


def test_golden_bundles_contain_every_type_of_event():
    kinds = {event["type"] for name in GOLDEN for event in golden(name)["events"]}
    assert kinds == {
        *("created", "seated", "left", "dealt", "expired", "voided", "finished"),
        *("draw", "recycle", "flip", "move", "undo", "collect"),
        *("bid", "rule", "give", "decline", "play"),
        *("turn", "stuck", "pass"),
        *("redeal", "resign"),
    }


def test_key_order_and_spacing_of_a_file_do_not_matter():
    bundle = golden("vegas-expired")
    assert verify(json.loads(json.dumps(bundle, sort_keys=True, indent=2))).ok


LEGAL_MOVES = {
    "ace-race-two-won-by-a-gift": 203,
    "ace-race-three-by-chance": 1007,
    "ace-race-four-blocked": 118,
    "ace-race-six-by-chance": 948,
    "idle-aces-by-chance-resigned": 4068,
    "idle-aces-lost-at-the-end": 1301,
    "idle-aces-won": 1523,
    "racing-demons-race-burned-and-out": 2843,
    "racing-demons-turn-1-stuck": 743,
    "vegas-draw-1-complete-for-points": 1262,
    "vegas-draw-3-complete": 1032,
    "vegas-every-kind-of-move": 723,
}
"""How many legal moves seat 0 had to all seats in all positions of a game together."""


@pytest.mark.compiled
@pytest.mark.parametrize("name", LEGAL_MOVES)
def test_known_totals_of_legal_moves(name):
    table, total = None, 0
    for event in golden(name)["events"]:
        table = evolve(table, event["type"], event["seat"], event["data"], event["private"])
        total += sum(len(table.legal_moves(seat)) for seat in table.seats)
    assert total == LEGAL_MOVES[name]
