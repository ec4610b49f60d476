"""What two readers could understand differently is refused, with a 400 that says why."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest.content import LARGEST, parse
from rest.problems import MalformedJSON

REFUSED = {
    "empty": b"",
    "half an object": b'{"username": "ann"',
    "two values": b"{} {}",
    "single quotes": b"{'a': 1}",
    "key twice": b'{"a": 1, "a": 2}',
    "key twice, deep inside": b'{"a": [{"b": 1, "b": 1}]}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "a fraction beyond doubles": b'{"a": 1e999}',
    "a number beyond 2^53": b'{"a": 9007199254740992}',
    "a number of 5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "a negative one": b'{"a": -' + b"9" * 5000 + b"}",
    "not UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "NUL by escape": b'{"a": "x\\u0000"}',
    "NUL as it is": b'{"a": "\x00"}',
    "NUL in a key": b'{"\\u0000": 1}',
    "half a surrogate pair": b'{"a": "\\ud800"}',
    "the other half, in a key": b'{"\\udc00": 1}',
    "33 deep": b"[" * 33 + b"]" * 33,
    "100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "40,000 objects deep": b'{"a":' * 40_000 + b"1" + b"}" * 40_000,
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_refused_by_the_parser(body: bytes) -> None:
    with pytest.raises(MalformedJSON):
        parse(body)


@pytest.mark.django_db
def test_refused_over_http_as_a_problem(api, subtests: pytest.Subtests) -> None:
    client = api(None)
    for name in [name for name in REFUSED if name != "empty"]:
        with subtests.test(name=name):
            answer = client.generic(
                "POST", "/api/v1/players/", REFUSED[name], content_type="application/json"
            )
            assert answer.status_code == 400
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["code"] == "malformed-json"


def test_what_is_well_formed_comes_through_unchanged() -> None:
    assert parse(b'{"a": [1, -2.5, "\\ud83c\\udca1", true, null], "b": {}}') == {
        "a": [1, -2.5, "🂡", True, None],
        "b": {},
    }
    assert parse(str(LARGEST).encode()) == LARGEST
    assert parse(b"[" * 32 + b"]" * 32)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(MalformedJSON):
        parse(raw)
