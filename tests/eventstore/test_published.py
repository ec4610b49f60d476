"""Exported checkpoints: verification of one, of a history, and of its keys."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from eventstore.checkpoints.published import NotPublished, Trust, faults, merged, parse, parse_many
from tests.checkpoint_maker import Signer, private_key, public_key

FIRST, SECOND, THIEF = map(public_key, ("first", "second", "thief"))


@pytest.fixture
def house() -> Signer:
    made = Signer()
    for version in range(1, 5):
        made.sign(("a-game", version, "f" * 64))
    return made


def faults_of(checkpoints):
    return list(faults(checkpoints))


def covered(house, *keys):
    trust = Trust(keys, house.history)
    return [one.number for one in house.history if trust.covers(one)]


def test_a_complete_history_has_no_fault(house):
    assert faults_of(house.history) == []
    assert faults_of(house.history[2:]) == []  # so has any part of it


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"body": "{}"}, "the hash is not that of the body"),
        ({"hash": "0" * 64}, "the hash is not that of the body"),
        ({"signature": "0" * 128}, "the signature does not fit"),
        ({"signature": "no hex"}, "the signature does not fit"),
        ({"key": SECOND}, "the signature does not fit"),
        ({"number": 7}, "by its body it is checkpoint 2"),
    ],
)
def test_a_changed_checkpoint_is_named(house, change, why):
    assert replace(house.history[1], **change).fault() == why


@pytest.mark.parametrize(
    "change",
    [
        {"format": "racecard-checkpoint/2"},
        {"number": "2"},
        {"previous": None},
        {"sources": []},
        {"sources": {"streams": None}},
        {"sources": {"streams": {"root": "f" * 64, "leaves": True, "after": None, "until": None}}},
        {"next_key": 7},
        {"lost_key": "x"},
    ],
)
def test_a_signed_text_that_is_no_checkpoint_is_a_fault(house, change):
    made = house.signed({**house.history[1].content, **change})
    assert "the body is not that of a checkpoint" in (made.fault() or "")


def test_a_missing_checkpoint_is_named(house):
    del house.history[1]
    assert faults_of(house.history) == [(3, "checkpoint 2 is missing before it")]
    del house.history[1]
    assert faults_of(house.history) == [(4, "checkpoints 2 to 3 are missing before it")]


def test_an_exchanged_checkpoint_breaks_the_chain(house):
    other = Signer()
    other.sign(("a-game", 1, "e" * 64))
    other.sign(("a-game", 2, "f" * 64))
    forged = [house.history[0], other.history[1], *house.history[2:]]
    why = "it does not follow the one before"
    assert faults_of(forged) == [(2, why), (3, why)]


def test_no_events_between_two_checkpoints_may_be_uncovered(house):
    content = {**json.loads(house.history[-1].body), "number": 5, "previous": house.history[-1].hash}
    content["sources"]["streams"]["after"] = [0, 0, 9]
    assert faults_of([*house.history, house.signed(content)]) == [
        (5, "streams: it does not begin where the one before ended")
    ]
    content["sources"] = {}
    assert faults_of([*house.history, house.signed(content)]) == [(5, "it leaves out streams")]


def test_two_exports_of_one_history_agree(house):
    assert merged(house.history[:3], house.history[1:]) == (house.history, [])


def test_two_histories_under_the_same_numbers_are_found(house):
    other = Signer()
    other.sign(("a-game", 1, "f" * 64))
    other.sign(("a-game", 2, "e" * 64))
    _, different = merged(house.history, other.history)
    assert different == [(2, "two different ones were published as checkpoint 2")]


# keys


def test_a_key_is_handed_over_to_the_next(house):
    house.sign(hands_to="second")
    house.sign(("a-game", 5, "f" * 64))
    assert house.history[-1].key == SECOND
    assert faults_of(house.history) == []
    assert covered(house, FIRST) == [1, 2, 3, 4, 5, 6]


def test_trust_in_the_second_key_does_not_include_the_first(house):
    house.sign(hands_to="second")
    house.sign()
    assert covered(house, SECOND) == [6]


def test_after_the_handover_the_old_key_signs_nothing_more(house):
    """A stolen old key is therefore useless for later checkpoints."""
    house.sign(hands_to="second")
    house.key = "first"
    house.sign(("a-game", 5, "f" * 64))
    assert faults_of(house.history) == [(6, f"it is signed by {FIRST}, and {SECOND} was to sign")]
    assert covered(house, FIRST) == [1, 2, 3, 4, 5]


def test_a_new_key_without_a_hand_over_is_a_fault(house):
    house.key = "thief"
    house.sign()
    assert faults_of(house.history) == [(5, f"it is signed by {THIEF}, and {FIRST} was to sign")]


def test_a_hand_over_requires_the_consent_of_the_new_key(house):
    forged = house.sign(next_key={"key": SECOND, "consent": private_key("first").sign(b"").hex()})
    assert forged.fault() == "the key that it hands over to has not agreed to it"
    house.key = "second"
    house.sign()
    assert covered(house, FIRST) == [1, 2, 3, 4, 5]


def test_a_consent_is_valid_for_one_place_in_one_history(house):
    elsewhere = Signer().sign(hands_to="second").content["next_key"]
    assert house.sign(next_key=elsewhere).fault() == "the key that it hands over to has not agreed to it"


def test_trust_ends_where_a_key_is_recorded_as_lost(house):
    house.key = "second"
    house.sign(lost="first")
    house.sign()
    assert faults_of(house.history) == []
    assert covered(house, FIRST) == [1, 2, 3, 4]
    assert covered(house, FIRST, SECOND) == [1, 2, 3, 4, 5, 6]


def test_only_the_current_key_can_be_recorded_as_lost(house):
    house.key = "second"
    house.sign(lost="thief")
    assert faults_of(house.history) == [(5, "it takes the place of a key that did not sign")]


# files


def test_exported_files_are_read(house):
    documents = [one.document() for one in house.history]
    lines = "\n".join(map(json.dumps, documents))
    assert parse_many(lines) == parse_many(lines + "\n") == house.history
    assert parse_many(json.dumps({"results": documents, "next": None})) == house.history
    assert parse_many(json.dumps(documents[0], indent=2)) == house.history[:1]
    assert parse_many("") == []


@pytest.mark.parametrize(
    "text", ["x", "[1]", "7", "null", "{}", '{"number":"1"}', "[" * 100_000, '{"results":[7]}']
)
def test_a_file_that_is_not_an_export_is_reported(text):
    with pytest.raises(NotPublished):
        parse_many(text)


@pytest.mark.parametrize(
    "change", [{"number": True}, {"number": None}, {"body": 1}, {"hash": None}, {"key": "é"}]
)
def test_a_document_of_another_form_is_refused(house, change):
    with pytest.raises(NotPublished):
        parse(house.history[0].document() | change)
