"""Canonical JSON is RFC 8785, the same bytes with orjson and with the standard library alone."""

import math
from contextlib import contextmanager
from unittest import mock

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from eventstore import chain
from eventstore.chain import LARGEST_INTEGER, NotCanonical, canonical, check_canonical

KEYS = st.text(st.characters(max_codepoint=127), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@contextmanager
def standard_library_alone():
    with mock.patch.object(chain, "orjson", None):
        yield


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value):
    check_canonical(value)
    assert canonical(value) == rfc8785.dumps(value)
    with standard_library_alone():
        assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, {"a": [None, math.inf]}, "\ud800", object()]
)
def test_a_value_without_canonical_bytes_is_refused(value):
    with pytest.raises(NotCanonical):
        check_canonical(value)
    with pytest.raises((ValueError, TypeError)):
        canonical(value)


@pytest.mark.parametrize("value", [LARGEST_INTEGER + 1, 10**30, [[{"a": 10**30}]], {1: 2}, 1.5])
def test_a_value_that_is_refused_later_has_the_same_bytes(value):
    with pytest.raises(NotCanonical):
        check_canonical(value)
    expected = canonical(value)
    with standard_library_alone():
        assert canonical(value) == expected


def test_depth_does_not_change_the_bytes():
    value = 1
    for _ in range(300):
        value = [value]
    assert canonical(value) == b"[" * 300 + b"1" + b"]" * 300
