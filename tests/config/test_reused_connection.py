"""A kept connection is looked at before a request uses it, and the server is asked only when there is cause to."""

import psycopg
import pytest
from django.db import connection, connections

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def requested(monkeypatch):
    """What the server was asked by psycopg's own cursors, which is how Django asks whether it is there."""
    sent = []
    execute = psycopg.Cursor.execute

    def noting(self, query, *args, **kwargs):
        sent.append(str(query))
        return execute(self, query, *args, **kwargs)

    connection.ensure_connection()
    monkeypatch.setattr(psycopg.Cursor, "execute", noting)
    return sent


def test_an_idle_connection_is_used_without_asking(requested):
    assert connection.is_usable()
    assert requested == []


def test_after_an_error_the_connection_is_checked(requested):
    connection.errors_occurred = True
    assert connection.is_usable()
    assert requested == ["SELECT 1"]
    connection.errors_occurred = False


def test_a_connection_that_the_server_ended_is_replaced():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [ended] = cursor.fetchone()
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [ended])
    finally:
        other.close()
    assert not connection.is_usable()
    connection.health_check_enabled, connection.health_check_done = True, False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (ended,)


def test_a_closed_connection_is_of_no_use():
    connection.ensure_connection()
    connection.connection.close()
    assert not connection.is_usable()
    connection.close()
