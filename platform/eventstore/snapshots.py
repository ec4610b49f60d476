"""Snapshots: stored states, so that no fold is longer than the distance between two of them.

A snapshot is a cache. It is used only if it has the installation's HMAC, was folded by the current code, and the
event of its version has its hash; otherwise the events are folded. Verification, bundles, and the audit read the
events and never a snapshot.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from core.sql import stored
from eventstore.store import Head

S = TypeVar("S")
log = logging.getLogger(__name__)

_INSERT = (
    "INSERT INTO eventstore_snapshot (stream_id, version, hash, form, state, mac) VALUES {rows} "
    "ON CONFLICT (stream_id, version) DO UPDATE SET "
    "hash = excluded.hash, form = excluded.form, state = excluded.state, mac = excluded.mac"
)
_ROW = "(%s, %s, %s, %s, %s, %s)"
_LATEST = (
    "SELECT version, hash, state, mac FROM eventstore_snapshot "
    "WHERE stream_id = %s AND version > %s AND version <= %s AND form = %s ORDER BY version DESC LIMIT %s"
)
LAST = 2**63 - 1
_TOGETHER = 50
"""Rows of one statement."""
_TRIED = 3
"""Snapshots that are tried before the events are folded instead."""


class Snapshot(NamedTuple, Generic[S]):
    version: int
    hash: str
    state: S

    def head(self) -> Head:
        return Head(self.version, self.hash, None)


class Snapshots(Generic[S]):
    """The snapshots of one kind of stream, at least one every `every` events."""

    def __init__(
        self,
        every: int,
        form: Callable[[], str],
        dump: Callable[[S], bytes],
        load: Callable[[bytes], S],
    ) -> None:
        self.every = every
        self._form, self._dump, self._load = form, dump, load

    def is_due(self, before: int, after: int) -> bool:
        """Whether a snapshot is due after an append from one version to another."""
        return after // self.every > before // self.every

    def latest(self, stream: UUID, *, after: int, until: int | None) -> Snapshot[S] | None:
        """The newest usable snapshot of a version above `after` and up to `until` (None: the head)."""
        with connection.cursor() as cursor:
            cursor.execute(
                _LATEST, [stored(stream), after, LAST if until is None else until, self._form(), _TRIED]
            )
            rows = cursor.fetchall()
        for version, hash, state, mac in rows:
            dumped = bytes(state)
            if constant_time_compare(mac, self._mac(stream, version, hash, dumped)):
                return Snapshot(version, hash, self._load(dumped))
            log.warning("snapshot %s of stream %s has a wrong HMAC and is ignored", version, stream)
        return None

    def save(self, stream: UUID, found: Sequence[Snapshot[S]]) -> None:
        """Store committed states, or states of the open transaction after its commit. A failure to store changes no
        result.
        """
        transaction.on_commit(lambda: self._save(stream, found))

    def _save(self, stream: UUID, found: Sequence[Snapshot[S]]) -> None:
        form = self._form()
        try:
            for start in range(0, len(found), _TOGETHER):
                part = found[start : start + _TOGETHER]
                values: list[Any] = []
                for version, hash, state in part:
                    dumped = self._dump(state)
                    mac = self._mac(stream, version, hash, dumped)
                    values += (stored(stream), version, hash, form, dumped, mac)
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(_INSERT.format(rows=", ".join([_ROW] * len(part))), values)
        except DatabaseError as error:
            log.warning("snapshots of stream %s were not stored: %s", stream, type(error).__name__)

    def _mac(self, stream: UUID, version: int, hash: str, state: bytes) -> str:
        head = f"{stream}|{version}|{hash}|{self._form()}|".encode()
        return salted_hmac("eventstore.snapshot", head + state, algorithm="sha256").hexdigest()
