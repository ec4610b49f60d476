"""A typed client, sync and async, for the REST API of Racecard.

`Client` and `AsyncClient` have methods for playing, event streams, and lists. `racecard_client.rest` has a function for
every other operation, generated from the server's description. docs/clients.md has examples.
"""

from racecard_client.client import AsyncClient, Client, answered, new_key
from racecard_client.errors import (
    BadRequest,
    BundleInvalid,
    Conflict,
    ConnectionLost,
    Forbidden,
    NotAuthenticated,
    NotFound,
    PreconditionFailed,
    ProblemError,
    RacecardError,
    RulesNotInstalled,
    ServerError,
    TooManyRequests,
    Unavailable,
)
from racecard_client.retries import Retry
from racecard_client.streams import StreamEvent, Suspension, Waiting
from racecard_client.verification import Receipt, verify_bundle

__all__ = [
    "AsyncClient",
    "BadRequest",
    "BundleInvalid",
    "Client",
    "Conflict",
    "ConnectionLost",
    "Forbidden",
    "NotAuthenticated",
    "NotFound",
    "PreconditionFailed",
    "ProblemError",
    "RacecardError",
    "Receipt",
    "Retry",
    "RulesNotInstalled",
    "ServerError",
    "StreamEvent",
    "Suspension",
    "TooManyRequests",
    "Unavailable",
    "Waiting",
    "answered",
    "new_key",
    "verify_bundle",
]
