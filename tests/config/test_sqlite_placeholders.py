"""SQLite receives the statement that Django's own backend would send, whatever its length."""

import pytest
from django.db import connection
from django.db.backends.sqlite3.base import SQLiteCursorWrapper

from config.sqlite.base import LONGEST

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]


@pytest.mark.parametrize("values", [1, LONGEST // 4])
def test_placeholders_are_converted_each_time(values):
    query = f"SELECT '%%s', 7 %% 4 WHERE %s IN ({', '.join(['%s'] * values)})"
    with connection.cursor() as cursor:
        for value in (1, 2):
            cursor.execute(query, [value] * (values + 1))
            assert cursor.fetchall() == [("%s", 3)]


def test_named_placeholders_are_converted():
    with connection.cursor() as cursor:
        cursor.execute("SELECT %(a)s, '%%'", {"a": 5})
        assert cursor.fetchall() == [(5, "%")]


@pytest.mark.parametrize("query", ["SELECT 1", "SELECT %s, '%%s'", "SELECT '100%%'", "SELECT %%s, %s"])
def test_the_text_is_that_of_django(query):
    cursor = connection.connection.cursor()
    ours = connection.create_cursor().convert_query(query)
    assert ours == SQLiteCursorWrapper.convert_query(cursor, query)
    assert connection.create_cursor().convert_query(query) == ours
