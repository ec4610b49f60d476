"""Publication of the signed checkpoints: a file to be copied out of the owner's reach."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import orjson
from django.conf import settings

from core.clock import database_now
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Published
from eventstore.models import Checkpoint
from jobs.services import give_up_lease, take_lease

SIGNER = "checkpoint-signer"
"""The lease of the process that signs."""

SIGNING = timedelta(seconds=60)
"""How long a signer that was killed keeps others from signing. A checkpoint takes seconds."""


def make_and_publish(now: datetime) -> int | None:
    """Sign all new rows and append to the published file; return the number of checkpoints, None while another process
    signs.
    """
    made, me = 0, f"{socket.gethostname()} {os.getpid()} {uuid4().hex[:12]}"
    try:
        while take_lease(name=SIGNER, holder=me, now=database_now(), lasting=SIGNING):
            fresh = checkpoint.make(now)
            if fresh is None:
                return made
            _published(fresh)
            made += 1
    finally:
        # Also after an error: the next attempt would find the lease taken, and count as done without having signed.
        give_up_lease(name=SIGNER, holder=me)
    return made or None


def hand_over(now: datetime) -> Published:
    """Start a new key, and publish the checkpoint in which the current key names it."""
    return _published(checkpoint.hand_over(now))


def declare_lost(now: datetime) -> Published | None:
    """Continue without the lost key, and publish the checkpoint that says so; None if it is not lost."""
    made = checkpoint.declare_lost(now)
    return None if made is None else _published(made)


def _published(made: Checkpoint) -> Published:
    one = checkpoint.published(made)
    publish(one)
    return one


def published_file() -> Path:
    return Path(settings.DATA) / "checkpoints.jsonl"


def publish(published: Published, file: Path | None = None) -> None:
    """Append one line and sync it to the disk."""
    path = file or published_file()
    with path.open("ab") as output:
        output.write(orjson.dumps(published.document(), option=orjson.OPT_APPEND_NEWLINE))
        output.flush()
        os.fsync(output.fileno())


def read_published(file: Path | None = None) -> Iterator[Published]:
    """Raises ValueError if the file does not have the form that `publish` writes."""
    path = file or published_file()
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield checkpoint.parse(orjson.loads(line))
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None
