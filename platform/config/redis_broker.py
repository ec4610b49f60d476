"""kombu's transports for Redis and Sentinel, made robust against messages that outlive their connection."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as ConnectionLost


class _Channel(redis.Channel):
    """Reports the use of a closed connection as a lost one.

    When a worker loses the broker, its connection is closed while messages are in hand. Putting them back, or
    acknowledging them, then raised an AttributeError (kombu 5.7), which ended the worker.
    """

    def _connparams(self, asynchronous: bool = False) -> Any:
        if getattr(self.connection, "client", None) is None:
            raise ConnectionLost("The connection to the broker was closed.")
        return super()._connparams(asynchronous)  # type: ignore[misc]  # the stubs do not have it


class Transport(redis.Transport):
    Channel = _Channel


class SentinelChannel(_Channel, redis.SentinelChannel):
    pass


class SentinelTransport(redis.SentinelTransport):
    Channel = SentinelChannel
