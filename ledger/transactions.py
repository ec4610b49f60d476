"""Transactions within transactions, without a savepoint where none is needed: each costs two ways to the database."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from django.db import connection, transaction


def in_one_transaction() -> AbstractContextManager[None]:
    """A transaction, or what there is of one: for what writes nothing before it refuses, or whose caller gives up then.

    An error ends the caller's transaction too, unless nothing was written and no statement failed.
    """
    return nullcontext() if connection.in_atomic_block else transaction.atomic()


def savepoint() -> AbstractContextManager[None]:
    """For a single statement that may fail: it needs no transaction of its own, but must not spoil the caller's."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
