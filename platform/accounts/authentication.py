"""Bearer tokens, found with their player by digest, in one query that is put together once and not at every request."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db import connection, models
from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication

from accounts.models import Player


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    def authenticate_credentials(self, token: bytes) -> tuple[Any, AuthToken]:
        try:
            digest = hash_token(token.decode("ascii"))
        except ValueError:
            raise exceptions.AuthenticationFailed("This token is not valid.") from None
        found = _find(digest)
        if found is None or (found.expiry is not None and found.expiry <= timezone.now()):
            raise exceptions.AuthenticationFailed("This token is not valid.")
        user, record = self.validate_user(found)
        return user, record


Converter = Callable[[Any, Any, Any], Any]


def _find(digest: str) -> AuthToken | None:
    """The token of this digest with its player. Every request asks for one: the ORM would build the query anew."""
    sql, converters = _query(connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(sql, [digest])
        row = cursor.fetchone()
    if row is None:
        return None
    values = list(row)
    for index, convert in converters:
        values[index] = convert(values[index], None, connection)
    of_token, of_player = _names(AuthToken), _names(Player)
    token = AuthToken.from_db(connection.alias, of_token, values[: len(of_token)])
    token.user = Player.from_db(connection.alias, of_player, values[len(of_token) :])
    return token


@cache
def _query(vendor: str) -> tuple[str, list[tuple[int, Converter]]]:
    """The statement, and what turns the database's values into Python's, by column."""
    columns = [
        field.get_col(model._meta.db_table) for model in (AuthToken, Player) for field in _fields(model)
    ]
    named = ", ".join(f'"{column.alias}"."{column.target.column}"' for column in columns)
    token, player = AuthToken._meta.db_table, Player._meta.db_table
    sql = (
        f'SELECT {named} FROM "{token}" JOIN "{player}" ON "{player}"."id" = "{token}"."user_id" '  # noqa: S608
        f'WHERE "{token}"."digest" = %s'
    )
    converters = [
        (index, convert)
        for index, column in enumerate(columns)
        for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
    ]
    return sql, converters


def _fields(model: type[models.Model]) -> list[Any]:
    return list(model._meta.concrete_fields)


@cache
def _names(model: type[models.Model]) -> list[str]:
    return [field.attname for field in _fields(model)]


class WebSession(SessionAuthentication):
    """The web client's session; every request that changes something carries its CSRF token."""

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"
