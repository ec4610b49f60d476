"""The clients: `Client` blocks, `AsyncClient` is for asyncio. Both have the same methods."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar
from uuid import UUID, uuid4

from racecard_client import streams
from racecard_client.errors import RacecardError
from racecard_client.rest.api.games import (
    games_create,
    games_read,
    games_start,
    moves_create,
    seats_take,
)
from racecard_client.rest.api.tokens import tokens_create
from racecard_client.rest.client import AuthenticatedClient
from racecard_client.rest.models import (
    GameInputRequest,
    GameOutput,
    MoveInputRequest,
    PlayedOutput,
    Problem,
    SeatInputRequest,
    TokenInputRequest,
)
from racecard_client.rest.types import UNSET
from racecard_client.retries import AsyncSession, Retry, Session
from racecard_client.streams import Feed, Kind, StreamEvent, Subject, Suspension, Waiting, WaitingStream
from racecard_client.verification import Receipt, verify_bundle

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Id = UUID | str
ENDS = ("finished", "voided")
"""The types of a game's last event."""


class Document(Protocol):
    """An object of `racecard_client.rest.models`."""

    def to_dict(self) -> dict[str, Any]: ...


class Page(Protocol[T_co]):
    """A page of a list."""

    @property
    def results(self) -> Sequence[T_co]: ...

    @property
    def next_(self) -> object: ...

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self: ...


def new_key() -> str:
    """Return a new idempotency key. It names one command: keep it, and send the same command again with it."""
    return str(uuid4())


def answered(answer: T | Problem | None) -> T:
    """Return the document that a function of `racecard_client.rest` has returned, with its own type.

    Those functions are declared to return a Problem also. A client raises it as an exception instead.
    """
    if answer is None or isinstance(answer, Problem):
        raise RacecardError(f"an unexpected answer: {answer}")
    return answer


def _options(token: str | None, timeout: float) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return {"headers": {**headers, "User-Agent": "racecard-client"}, "timeout": timeout}


def _credentials(
    username: str, password: str, scopes: Iterable[str], options: Mapping[str, Any]
) -> TokenInputRequest:
    named = {"username": username, "password": password, "scopes": list(scopes), **options}
    return TokenInputRequest.from_dict(named)


def _table(rules: str, config: Mapping[str, Any] | None, options: Mapping[str, Any]) -> GameInputRequest:
    return GameInputRequest.from_dict({"rules": rules, "config": dict(config or {}), **options})


def _seat(client_seed: str | None, options: Mapping[str, Any]) -> SeatInputRequest:
    seed = secrets.token_hex(16) if client_seed is None else client_seed
    return SeatInputRequest.from_dict({"client_seed": seed, **options})


def _move(
    game: Id, move: Mapping[str, Any] | Document, version: int | None, idempotency_key: str | None
) -> dict[str, Any]:
    """The arguments of a function of `moves_create`, besides the client."""
    return {
        "game_id": _uuid(game),
        "body": MoveInputRequest(dict(move) if isinstance(move, Mapping) else move.to_dict()),
        "if_match": UNSET if version is None else f'"{version}"',
        "idempotency_key": idempotency_key or new_key(),
    }


def _uuid(id: Id) -> UUID:
    return id if isinstance(id, UUID) else UUID(id)


def _next(page: Page[Any]) -> str | None:
    """The address of the next page; None on the last. A page of `changes/` always has one, and says if it has more."""
    return page.next_ if isinstance(page.next_, str) and getattr(page, "more", True) else None


def _subjects(
    games: Iterable[Id], tournaments: Iterable[Id], disputes: Iterable[Id], after: Mapping[Id, int] | None
) -> dict[Subject, int]:
    versions = {_uuid(id): version for id, version in (after or {}).items()}
    named: tuple[tuple[Kind, Iterable[Id]], ...] = (
        ("game", games),
        ("tournament", tournaments),
        ("dispute", disputes),
    )
    return {(kind, _uuid(id)): versions.get(_uuid(id), 0) for kind, ids in named for id in ids}


class Client:
    """A client that blocks. It is also a context manager, which closes its connections.

    `retry` says when a request is sent again. `timeout` is the time in seconds that an answer may take.
    """

    def __init__(
        self, base_url: str, token: str | None = None, *, retry: Retry | None = None, timeout: float = 30.0
    ) -> None:
        self.retry = retry or Retry()
        self.session = Session(self.retry, base_url=base_url, **_options(token, timeout))
        """The HTTP session, for addresses that no function has."""
        self.rest = AuthenticatedClient(base_url=base_url, token=token or "").set_httpx_client(self.session)
        """The argument `client` of the functions in `racecard_client.rest`."""

    @classmethod
    def sign_in(
        cls,
        base_url: str,
        username: str,
        password: str,
        scopes: Iterable[str] = ("read", "play"),
        *,
        retry: Retry | None = None,
        timeout: float = 30.0,
        **options: Any,
    ) -> Self:
        """Return a client with a new token. `options`: further members of the request, such as `otp` and `name`."""
        body = _credentials(username, password, scopes, options)
        with Client(base_url, retry=retry, timeout=timeout) as client:
            issued = answered(tokens_create.sync(client=client.rest, body=body))
        return cls(base_url, issued.token, retry=retry, timeout=timeout)

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- playing ---

    def open_game(self, rules: str, config: Mapping[str, Any] | None = None, **options: Any) -> GameOutput:
        """Open a table. `options`: further members of the request, such as `seats` and `bots`."""
        body = _table(rules, config, options)
        return answered(games_create.sync(client=self.rest, body=body, idempotency_key=new_key()))

    def take_seat(self, game: Id, client_seed: str | None = None, **options: Any) -> GameOutput:
        """Take a seat. Without a client seed a random one is contributed to the shuffle."""
        body = _seat(client_seed, options)
        return answered(seats_take.sync(_uuid(game), client=self.rest, body=body, idempotency_key=new_key()))

    def start(self, game: Id) -> GameOutput:
        """Deal."""
        return answered(games_start.sync(_uuid(game), client=self.rest, idempotency_key=new_key()))

    def play(
        self,
        rules: str,
        config: Mapping[str, Any] | None = None,
        *,
        client_seed: str | None = None,
        **options: Any,
    ) -> GameOutput:
        """Open a table, take a seat, and deal. All other seats must be those of bots."""
        game = self.open_game(rules, config, **options)
        self.take_seat(game.id, client_seed)
        return self.start(game.id)

    def game(self, game: Id) -> GameOutput:
        """Return a game as the caller may see it now."""
        found: GameOutput = answered(games_read.sync(_uuid(game), client=self.rest))
        return found

    def move(
        self,
        game: Id,
        move: Mapping[str, Any] | Document,
        *,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> PlayedOutput:
        """Make a move. `version`: refuse it with PreconditionFailed if the game has a newer version.

        However often it is sent, the move is made at most once. Name an `idempotency_key` to send it again yourself,
        for example after a restart.
        """
        return answered(moves_create.sync(client=self.rest, **_move(game, move, version, idempotency_key)))

    def bundle(self, game: Id) -> dict[str, Any]:
        """Return the bundle of a game that has ended, unchanged."""
        bundle: dict[str, Any] = self.session.get(f"/api/v1/games/{_uuid(game)}/bundle/").json()
        return bundle

    def verify(self, game: Id, receipts: Iterable[Receipt] = ()) -> dict[str, Any]:
        """Return the bundle of a game that has ended, verified by the rules and compared with the receipts.

        Raises BundleInvalid, and RulesNotInstalled without the package `racecard`.
        """
        bundle = self.bundle(game)
        verify_bundle(bundle, receipts)
        return bundle

    # --- streams and lists ---

    def events(self, game: Id, after: int = 0) -> Generator[StreamEvent, None, None]:
        """Yield the events of a game after a version, each when it happens, until the game ends."""
        with closing(self.feed(games=[game], after={game: after})) as feed:
            for item in feed:
                if isinstance(item, StreamEvent):
                    yield item
                    if item.type in ENDS:
                        return

    def feed(
        self,
        *,
        games: Iterable[Id] = (),
        tournaments: Iterable[Id] = (),
        disputes: Iterable[Id] = (),
        after: Mapping[Id, int] | None = None,
    ) -> Generator[StreamEvent | Suspension, None, None]:
        """Yield the events of up to 100 subjects, each when it happens. `after`: the versions seen last, by id.

        After a lost connection the stream resumes, without a gap and without an event twice. Raises ConnectionLost if
        that fails for `stream_patience` seconds.
        """
        feed = Feed(_subjects(games, tournaments, disputes, after), self.retry)
        return streams.follow(self.session, feed)

    def waiting(self) -> Generator[Waiting, None, None]:
        """Yield what waits for the caller: games to move in, challenges, and tournaments; whole, after each change.

        The stream resumes as that of `feed`.
        """
        return streams.follow(self.session, WaitingStream(self.retry))

    def pages(self, first: Page[T] | Problem | None) -> Iterator[T]:
        """Yield the items of a list, of which the first page is given; further pages are read when needed."""
        page = answered(first)
        yield from page.results
        while (address := _next(page)) is not None:
            page = type(page).from_dict(self.session.get(address).json())
            yield from page.results


class AsyncClient:
    """As Client, for asyncio."""

    def __init__(
        self, base_url: str, token: str | None = None, *, retry: Retry | None = None, timeout: float = 30.0
    ) -> None:
        self.retry = retry or Retry()
        self.session = AsyncSession(self.retry, base_url=base_url, **_options(token, timeout))
        """The HTTP session, for addresses that no function has."""
        rest = AuthenticatedClient(base_url=base_url, token=token or "")
        self.rest = rest.set_async_httpx_client(self.session)
        """The argument `client` of the functions in `racecard_client.rest`."""

    @classmethod
    async def sign_in(
        cls,
        base_url: str,
        username: str,
        password: str,
        scopes: Iterable[str] = ("read", "play"),
        *,
        retry: Retry | None = None,
        timeout: float = 30.0,
        **options: Any,
    ) -> Self:
        """Return a client with a new token. `options`: further members of the request, such as `otp` and `name`."""
        body = _credentials(username, password, scopes, options)
        async with AsyncClient(base_url, retry=retry, timeout=timeout) as client:
            issued = answered(await tokens_create.asyncio(client=client.rest, body=body))
        return cls(base_url, issued.token, retry=retry, timeout=timeout)

    async def close(self) -> None:
        await self.session.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- playing ---

    async def open_game(
        self, rules: str, config: Mapping[str, Any] | None = None, **options: Any
    ) -> GameOutput:
        """Open a table. `options`: further members of the request, such as `seats` and `bots`."""
        body = _table(rules, config, options)
        return answered(await games_create.asyncio(client=self.rest, body=body, idempotency_key=new_key()))

    async def take_seat(self, game: Id, client_seed: str | None = None, **options: Any) -> GameOutput:
        """Take a seat. Without a client seed a random one is contributed to the shuffle."""
        body = _seat(client_seed, options)
        return answered(
            await seats_take.asyncio(_uuid(game), client=self.rest, body=body, idempotency_key=new_key())
        )

    async def start(self, game: Id) -> GameOutput:
        """Deal."""
        return answered(await games_start.asyncio(_uuid(game), client=self.rest, idempotency_key=new_key()))

    async def play(
        self,
        rules: str,
        config: Mapping[str, Any] | None = None,
        *,
        client_seed: str | None = None,
        **options: Any,
    ) -> GameOutput:
        """Open a table, take a seat, and deal. All other seats must be those of bots."""
        game = await self.open_game(rules, config, **options)
        await self.take_seat(game.id, client_seed)
        return await self.start(game.id)

    async def game(self, game: Id) -> GameOutput:
        """Return a game as the caller may see it now."""
        found: GameOutput = answered(await games_read.asyncio(_uuid(game), client=self.rest))
        return found

    async def move(
        self,
        game: Id,
        move: Mapping[str, Any] | Document,
        *,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> PlayedOutput:
        """Make a move, as `Client.move`."""
        arguments = _move(game, move, version, idempotency_key)
        return answered(await moves_create.asyncio(client=self.rest, **arguments))

    async def bundle(self, game: Id) -> dict[str, Any]:
        """Return the bundle of a game that has ended, unchanged."""
        response = await self.session.get(f"/api/v1/games/{_uuid(game)}/bundle/")
        bundle: dict[str, Any] = response.json()
        return bundle

    async def verify(self, game: Id, receipts: Iterable[Receipt] = ()) -> dict[str, Any]:
        """Return the verified bundle of a game that has ended, as `Client.verify`."""
        bundle = await self.bundle(game)
        verify_bundle(bundle, receipts)
        return bundle

    # --- streams and lists ---

    async def events(self, game: Id, after: int = 0) -> AsyncGenerator[StreamEvent, None]:
        """Yield the events of a game after a version, each when it happens, until the game ends."""
        async with aclosing(self.feed(games=[game], after={game: after})) as feed:
            async for item in feed:
                if isinstance(item, StreamEvent):
                    yield item
                    if item.type in ENDS:
                        return

    def feed(
        self,
        *,
        games: Iterable[Id] = (),
        tournaments: Iterable[Id] = (),
        disputes: Iterable[Id] = (),
        after: Mapping[Id, int] | None = None,
    ) -> AsyncGenerator[StreamEvent | Suspension, None]:
        """Yield the events of up to 100 subjects, each when it happens, as `Client.feed`."""
        feed = Feed(_subjects(games, tournaments, disputes, after), self.retry)
        return streams.afollow(self.session, feed)

    def waiting(self) -> AsyncGenerator[Waiting, None]:
        """Yield what waits for the caller, whole after each change, as `Client.waiting`."""
        return streams.afollow(self.session, WaitingStream(self.retry))

    async def pages(self, first: Page[T] | Problem | None) -> AsyncIterator[T]:
        """Yield the items of a list, of which the first page is given; further pages are read when needed."""
        page = answered(first)
        for item in page.results:
            yield item
        while (address := _next(page)) is not None:
            page = type(page).from_dict((await self.session.get(address)).json())
            for item in page.results:
                yield item
