"""Proofs that a signed checkpoint includes a stream, for readers who have stored another checkpoint."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eventstore.checkpoints.inclusion import held, read, signature_fault
from eventstore.checkpoints.published import NotPublished
from tests.checkpoint_maker import Signer, public_key

HASH, OTHER = "ab" * 32, "cd" * 32
FIRST, SECOND = map(public_key, ("first", "second"))


def heads(count: int):
    return [(f"game-{index}", 9, HASH) for index in range(count)]


def signed(*third) -> Signer:
    made = Signer()
    for number in range(1, 8):
        made.sign(*third if number == 3 else (("another", number, HASH),))
    return made


@pytest.fixture
def house() -> Signer:
    return signed(*heads(5))


@pytest.fixture
def forged() -> Signer:
    """Sign everything again with a changed game, like an operator who has the database and the key."""
    return signed(("game-0", 9, OTHER))


@pytest.mark.parametrize("leaves", [1, 2, 3, 5, 8, 13])
def test_every_leaf_of_a_checkpoint_can_be_proven(leaves):
    house = Signer()
    house.sign(*heads(leaves))
    for index in range(leaves):
        proof = house.prove(1, index)
        assert read(proof.document()) == proof
        assert proof.fault(f"game-{index}", HASH) is None


def test_only_a_leaf_of_the_checkpoint_can_be_proven(house):
    proof = house.prove(3, 2)
    assert proof.fault("game-2", HASH) is None
    for wrong in (
        proof.fault("game-1", HASH),
        proof.fault("game-2", OTHER),
        replace(proof, version=8).fault("game-2", HASH),
        replace(proof, index=3).fault("game-2", HASH),
        replace(proof, path=proof.path[:-1]).fault("game-2", HASH),
        replace(proof, path=(*proof.path, bytes(32))).fault("game-2", HASH),
    ):
        assert wrong is not None
        assert wrong[0] == 3
        assert "the path does not lead" in wrong[1]


def test_a_checkpoint_that_covers_no_streams_proves_none(house):
    content = dict(house.history[2].content) | {"sources": {}}
    proof = replace(house.prove(3), chain=(house.signed(content),))
    assert proof.fault("game-0", HASH) == (3, "it does not cover streams")


def test_a_damaged_chain_is_named(house):
    proof = house.prove(3, known=6)
    chain = list(proof.chain)
    chain[2] = replace(chain[2], signature="0" * 128)
    assert replace(proof, chain=tuple(chain)).fault("game-0", HASH) == (5, "the signature does not fit")
    del chain[2]
    assert replace(proof, chain=tuple(chain)).fault("game-0", HASH) == (
        6,
        "checkpoint 5 is missing before it",
    )


# stored checkpoints


def test_a_stored_checkpoint_proves_the_game(house):
    assert held(house.prove(3), [house.history[2]]) == "fast"
    assert held(house.prove(3, known=7), [house.history[6]]) == "fast"
    assert held(house.prove(3), house.history) == "fast"  # the chain may be in the proof or stored


def test_the_proof_may_continue_an_earlier_stored_checkpoint(house):
    assert held(house.prove(3, known=1), [house.history[0]]) == "following"


def test_an_earlier_stored_checkpoint_suffices_if_the_later_is_not_reached(house):
    assert held(house.prove(3), [house.history[0], house.history[1], house.history[6]]) == "following"


def test_a_proof_that_reaches_no_stored_checkpoint_names_what_to_fetch(house):
    with pytest.raises(NotPublished, match="fetch it with known=7"):
        held(house.prove(3, known=5), [house.history[6]])


@pytest.mark.parametrize("kept", [3, 5, 7])
def test_a_rewritten_history_differs_from_the_stored_checkpoint(house, forged, kept):
    with pytest.raises(NotPublished, match=f"two different ones were published as checkpoint {kept}"):
        held(forged.prove(3, known=kept), [house.history[kept - 1]])


def test_a_foreign_chain_cannot_continue_a_stored_checkpoint(house, forged):
    with pytest.raises(NotPublished, match="checkpoint 5: it does not follow the one before"):
        held(forged.prove(3, known=4), [house.history[4]])


# keys


def test_a_proof_is_trusted_by_the_key_that_signed_it(house):
    assert signature_fault(house.prove(3), [FIRST]) is None
    assert "no key you trust" in (signature_fault(house.prove(3), [SECOND]) or "")


def test_a_proof_is_trusted_by_an_earlier_key_that_was_handed_over(house):
    house.sign(hands_to="second")
    house.sign(*heads(2))
    assert signature_fault(house.prove(9), [FIRST]) is None
    unproven = replace(house.prove(9), keys=())
    assert "no key you trust" in (signature_fault(unproven, [FIRST]) or "")


def test_a_proof_is_trusted_by_a_later_key_through_the_chain(house):
    house.sign(hands_to="second")
    house.sign()
    assert "no key you trust" in (signature_fault(house.prove(3), [SECOND]) or "")
    assert signature_fault(house.prove(3, known=9), [SECOND]) is None


# form


@pytest.mark.parametrize(
    "change",
    [
        {"number": -1},
        {"number": 4},
        {"version": True},
        {"index": "0"},
        {"path": None},
        {"path": ["x"]},
        {"path": [1]},
        {"path": ["ab"] * 65},
        {"chain": []},
        {"chain": [{}]},
        {"keys": {}},
        {"more": 1},
    ],
)
def test_a_proof_of_another_form_is_refused(house, change):
    with pytest.raises(NotPublished):
        read(house.prove(3).document() | change)


@pytest.mark.parametrize("document", [None, [], "x", {}])
def test_a_document_that_is_not_a_proof_is_refused(document):
    with pytest.raises(NotPublished):
        read(document)
