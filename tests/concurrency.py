"""Calls that start at the same moment, each in a thread with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection

from core.errors import Problem


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls at the same moment; return what each returned or raised."""
    start, results = threading.Barrier(len(calls)), [None] * len(calls)

    def run(index: int, call: Callable[[], Any]) -> None:
        start.wait()
        try:
            results[index] = call()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def endings(*calls: Callable[[], Any]) -> list[str]:
    """Run the calls at the same moment; return "done" or the code of the refusal of each. Raises other errors."""
    return [_ending(result) for result in at_once(*calls)]


def _ending(result: Any) -> str:
    if isinstance(result, Problem):
        return result.code
    if isinstance(result, Exception):
        raise result
    return "done"
