"""Budgets of processor time for expensive operations; the amounts are settings.

The cost of an operation is known when it ends. An operation therefore reserves a small amount when it begins, is
refused only if the budget is used up, and is charged its actual cost when it ends. The reservation bounds how many
operations can begin at the same moment. The counters are those of `rest.throttles`: a window of time, shared by all
processes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import TooManyRequests
from rest.throttles import address_of, raised

RESERVED = 250
"""Milliseconds of processor time reserved for an operation until it ends."""


class BudgetSpent(TooManyRequests):
    code = "budget-spent"
    title = "The computing time for such requests is used up for the moment; wait and try again"


class Budget:
    """The budgets of one operation: `API_BUDGETS[scope] = (account, address, window)`, each in seconds.

    The first two are processor time per window, of an account and of an address. Not to be shared between threads:
    `open` and `close` are called in the thread that does the work.
    """

    def __init__(self, scope: str, *, account: str | None, address: str) -> None:
        of_account, of_address, self._window = settings.API_BUDGETS[scope]
        number = int(time.time() // self._window)
        self._ends = (number + 1) * self._window
        # All callers of one address who are not signed in count as one account.
        self._limits = {
            f"cpu:{scope}:account:{account or address}:{number}": 1000 * of_account,
            f"cpu:{scope}:address:{address}:{number}": 1000 * of_address,
        }
        self._began: float | None = None

    def wait(self) -> int:
        """Seconds until an operation may begin; 0 if it may begin now."""
        if all(raised(key, 0, lasting=2 * self._window) < most for key, most in self._limits.items()):
            return 0
        return max(1, math.ceil(self._ends - time.time()))

    def require(self) -> None:
        """Raise BudgetSpent unless an operation may begin now."""
        if wait := self.wait():
            raise BudgetSpent(retry_after=wait)

    def open(self) -> None:
        """Begin an operation. Raises BudgetSpent."""
        self.require()
        self._charge(RESERVED)
        self._began = time.thread_time()

    def close(self, *, more: float = 0.0) -> None:
        """Charge the cost of the operation since `open`, and `more` seconds that it causes elsewhere."""
        if self._began is None:
            return
        cost = round(1000 * (max(0.0, time.thread_time() - self._began) + more))
        self._began = None
        with suppress(RedisError):  # the reservation remains
            self._charge(cost - RESERVED)

    def charge(self, seconds: float) -> None:
        """Charge work that is already done."""
        self._charge(round(1000 * seconds))

    def _charge(self, milliseconds: int) -> None:
        for key in self._limits:
            raised(key, milliseconds, lasting=2 * self._window)


class BudgetedView(APIView):
    # Without a docstring, which would become the description of every operation of a derived view. The cost of its
    # requests is charged to the budget `budget`; a handler adds the cost of jobs that it causes to `caused`.

    budget: str

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        account = str(request.user.pk) if request.user.is_authenticated else None
        opened = Budget(self.budget, account=account, address=address_of(request))
        opened.open()
        self._opened: Budget | None = opened

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self._opened, self.caused = None, 0.0
        try:
            response = super().dispatch(request, *args, **kwargs)
            # Writing the response is part of its cost.
            if isinstance(response, Response):
                response.render()
            elif isinstance(response, StreamingHttpResponse) and self._opened is not None:
                response.streaming_content = _charged(response.streaming_content, self._opened)
                self._opened = None
            return response
        finally:
            if self._opened is not None:
                self._opened.close(more=self.caused)


def _charged(pieces: Any, budget: Budget) -> Iterator[bytes]:
    try:
        yield from pieces
    finally:
        budget.close()
