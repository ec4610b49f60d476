"""A row of documents told compactly: one whole now and then, and between them what changes from each to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Document = dict[str, Any]

EVERY = 25
"""Each so many documents one is told whole, so that nobody has to begin at the first."""


def told(documents: Iterable[Document]) -> Iterator[Document]:
    """Each as `{"whole": …}`, or as `{"changes": […]}` from the one before."""
    before: Document = {}
    for index, document in enumerate(documents):
        if index % EVERY == 0:
            yield {"whole": document}
        else:
            yield {"changes": list(changes(before, document))}
        before = document


def changes(before: Any, after: Any, at: tuple[str | int, ...] = ()) -> Iterator[Document]:
    """The smallest parts that differ: `{"at": path, "to": value}`, of a key that is gone `{"at": path}`.

    A path names keys and places from the root. Lists of one length are compared by place; any other list is told whole.

    >>> list(changes({"a": [1, 2], "b": 0}, {"a": [1, 3], "c": None}))
    [{'at': ['a', 1], 'to': 3}, {'at': ['b']}, {'at': ['c'], 'to': None}]
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key in after:
                yield from changes(before[key], after[key], (*at, key))
            else:
                yield {"at": [*at, key]}
        for key in after:
            if key not in before:
                yield {"at": [*at, key], "to": after[key]}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (was, becomes) in enumerate(zip(before, after, strict=True)):
            yield from changes(was, becomes, (*at, place))
    elif type(before) is not type(after) or before != after:
        yield {"at": [*at], "to": after}
