"""Proofs that a checkpoint includes a stream, computed from the tables."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from core.errors import InvalidInput
from eventstore import store
from eventstore.checkpoints import proofs as covering
from eventstore.checkpoints import proofs as proving
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.proofs import NotCovered, Unprovable, prove
from tests.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"


@pytest.fixture
def now():
    return datetime(2026, 3, 1, 13, tzinfo=UTC)


@pytest.fixture
def several(append_events, stream, now):
    """Nine checkpoints. The third and the sixth contain the stream, together with others."""
    for number in range(1, 10):
        for _ in range(number % 4 + 1):
            append_events("x", to=uuid4())
        if number in (3, 6):
            append_events("created", "a", to=stream)
        checkpoint.make(now)


def test_a_stream_is_proven_by_the_checkpoint_with_its_newest_head(several, stream, append_events):
    proof = prove(stream)
    assert (proof.number, proof.version, [one.number for one in proof.chain]) == (6, 4, [6])
    assert proof.fault(str(stream), store.head(stream).hash) is None
    append_events("b")  # not covered yet, so the proof is that of an earlier version
    assert prove(stream) == proof


def test_the_chain_reaches_the_known_checkpoint(several, stream):
    assert [one.number for one in prove(stream, known=8).chain] == [6, 7, 8]
    assert [one.number for one in prove(stream, known=4).chain] == [4, 5, 6]
    assert prove(stream, known=9).fault(str(stream), store.head(stream).hash) is None


def test_every_stream_of_every_checkpoint_can_be_proven(several):
    signed = map(covering.signed_leaves, checkpoint.Checkpoint.objects.all())
    streams = {UUID(bytes=leaf.id) for leaves in signed for leaf in leaves or ()}
    assert len(streams) > 9
    for stream in streams:
        assert prove(stream).fault(str(stream), store.head(stream).hash) is None


def test_a_stream_that_no_checkpoint_covers_is_not_proven(append_events, stream, now):
    append_events("created")
    with pytest.raises(NotCovered):
        prove(stream)
    checkpoint.make(now)
    with pytest.raises(NotCovered):
        prove(uuid4())


def test_an_unknown_or_too_distant_checkpoint_is_refused(several, stream, monkeypatch):
    with pytest.raises(InvalidInput, match="no checkpoint 10"):
        prove(stream, known=10)
    monkeypatch.setattr(proving, "MOST_CHECKPOINTS", 3)
    assert len(prove(stream, known=4).chain) == 3
    with pytest.raises(InvalidInput, match="more than 3 checkpoints"):
        prove(stream, known=9)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE eventstore_checkpoint SET leaves = %s WHERE number = 6",
        "DELETE FROM eventstore_checkpoint WHERE number = 5 AND length(%s) = 0",
    ],
)
def test_a_tampered_stream_is_not_proven(several, stream, sql):
    tamper(sql, b"")
    with pytest.raises(Unprovable):
        prove(stream)


def test_leaves_that_differ_from_the_signed_ones_are_found(several):
    tamper("UPDATE eventstore_checkpoint SET leaves = %s WHERE number = 6", b"")
    [(_, fault)] = [found for found in checkpoint.verify() if found[1]]
    assert str(fault) == "checkpoint 6: streams: the stored leaves are not those that were signed (kept)"


def test_a_rewritten_stream_has_no_valid_proof(several, stream):
    tamper("UPDATE eventstore_event SET hash = %s WHERE version = 4", "f" * 64)
    assert prove(stream).fault(str(stream), "f" * 64) is not None
