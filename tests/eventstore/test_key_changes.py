"""The key of the installation is changed, lost, or stolen. Earlier checkpoints remain provable."""

from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from audit.services import verify_storage
from config import checkpoints
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.published import Trust, faults
from eventstore.checkpoints.service import WrongKey
from eventstore.models import Checkpoint
from tests.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    settings.DATA = tmp_path


def history():
    return [checkpoint.parse(document) for document in checkpoint.export()]


def audit_faults():
    return [str(fault) for fault in verify_storage().faults or ()]


def another_key(settings):
    """Replace the contents of the key file, without an announced key change."""
    settings.RACECARD_CHECKPOINT_KEY.write_text(Ed25519PrivateKey.generate().private_bytes_raw().hex())
    return checkpoint.public_key()


@pytest.fixture
def signed(append_events, now):
    append_events("created")
    return checkpoint.make(now)


@pytest.fixture
def now():
    return datetime(2026, 3, 1, 13, tzinfo=UTC)


def test_a_key_is_handed_over_to_a_new_one(signed, append_events, now, settings):
    append_events("a")
    made = checkpoint.hand_over(now)
    second = checkpoint.public_key()
    assert (made.key, checkpoint.published(made).successor) == (signed.key, second)
    assert second != signed.key
    assert [path.name for path in settings.DATA.glob("*.key")] == ["checkpoint.key"]
    assert settings.RACECARD_CHECKPOINT_KEY.stat().st_mode & 0o777 == 0o600
    append_events("b")
    assert checkpoint.make(now).key == second
    assert audit_faults() == []
    assert list(faults(history())) == []
    assert all(map(Trust([signed.key], checkpoint.handovers()).covers, history()))


def test_keys_may_be_handed_over_any_number_of_times(append_events, now):
    """This includes hand-overs without new events and before the first checkpoint."""
    for _ in range(3):
        checkpoint.hand_over(now)
    append_events("created")
    checkpoint.make(now)
    assert [one.number for one in checkpoint.handovers()] == [1, 2, 3]
    assert audit_faults() == []


def test_a_hand_over_resumes_after_a_crash_before_the_key_is_stored(signed, append_events, now, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "to_sign", stop_at_second_call(checkpoint.to_sign))
        with pytest.raises(InterruptedError):
            checkpoint.hand_over(now)
    assert checkpoint.public_key() == signed.key
    append_events("a")
    assert checkpoint.make(now).key == checkpoint.published(Checkpoint.objects.get(number=2)).successor
    assert audit_faults() == []


def stop_at_second_call(function):
    calls = []

    def called(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise InterruptedError
        return function(*arguments)

    return called


def test_a_machine_without_the_new_key_signs_nothing(signed, append_events, now, settings):
    old = settings.RACECARD_CHECKPOINT_KEY.read_text()
    checkpoint.hand_over(now)
    append_events("a")
    settings.RACECARD_CHECKPOINT_KEY.write_text(old)
    with pytest.raises(WrongKey, match=r"checkpoint\.key holds"):
        checkpoint.make(now)
    assert Checkpoint.objects.count() == 2


def test_an_exchanged_key_signs_nothing(signed, append_events, now, settings):
    append_events("a")
    another_key(settings)
    with pytest.raises(WrongKey):
        checkpoint.make(now)
    with pytest.raises(WrongKey):
        checkpoint.hand_over(now)


def test_a_lost_key_is_recorded_as_lost(signed, append_events, now, settings):
    assert checkpoint.declare_lost(now) is None
    append_events("a")
    second = another_key(settings)
    assert checkpoint.declare_lost(now).key == second
    append_events("b")
    checkpoint.make(now)
    assert audit_faults() == []
    assert history()[1].lost == signed.key
    trust = Trust([signed.key], checkpoint.handovers())
    assert [trust.covers(one) for one in history()] == [True, False, False]


def test_history_signed_by_another_key_is_refused(signed, append_events, now, settings):
    """The attacker has the database without the key, and forges a history that hands over to our key."""
    ours = settings.RACECARD_CHECKPOINT_KEY.read_text()
    tamper("DELETE FROM eventstore_checkpoint")
    theirs = another_key(settings)
    checkpoint.make(now)
    settings.RACECARD_CHECKPOINT_KEY.write_text(ours)
    assert audit_faults() == [
        f"checkpoint 1: {theirs} signs from here on, which is not this installation's key (kept)"
    ]


def test_the_commands_change_and_give_up_a_key(signed, append_events, now, settings, capsys):
    append_events("a")
    call_command("checkpoints", "rotate")
    second = checkpoint.public_key()
    assert f"Checkpoint 2 hands over to {second}" in capsys.readouterr().out
    call_command("checkpoints", "key")
    assert capsys.readouterr().out.splitlines() == [
        f"{signed.key} until checkpoint 2, where it handed over to {second}",
        second,
    ]
    assert [one.number for one in checkpoints.read_published()] == [2]
    with pytest.raises(CommandError, match="use --yes"):
        call_command("checkpoints", "lost-key")
    with pytest.raises(CommandError, match="is not lost"):
        call_command("checkpoints", "lost-key", "--yes")
    third = another_key(settings)
    with pytest.raises(CommandError, match="is lost, see"):
        call_command("checkpoints", "rotate")
    call_command("checkpoints", "lost-key", "--yes")
    assert f"Checkpoint 3 continues with {third}" in capsys.readouterr().out
    assert [one.number for one in checkpoints.read_published()] == [2, 3]
