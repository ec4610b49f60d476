"""A game played with the Python client, proved by its bundle, and its refusals."""

from __future__ import annotations

import asyncio
import copy
import json

import pytest

from racecard_client import (
    AsyncClient,
    BadRequest,
    BundleInvalid,
    Client,
    Conflict,
    Forbidden,
    NotAuthenticated,
    NotFound,
    PreconditionFailed,
    ProblemError,
    Receipt,
    StreamEvent,
    answered,
    new_key,
    verify_bundle,
)
from racecard_client.rest.api.games import games_list, moves_create
from racecard_client.rest.models import MoveInputRequest
from tests.browser.relay import Relay
from tests.clients.conftest import player
from tests.installation import Installation

pytestmark = pytest.mark.processes


def test_sync_game_to_its_end_and_its_bundle(client: Client) -> None:
    game = client.play("idle-aces", client_seed="ann was here")
    receipts = []
    moves = game.legal_moves
    while moves:
        move = moves[0] if len(receipts) < 100 else {"type": "resign"}  # else it may redeal for very long
        played = client.move(game.id, move)
        receipts.append(Receipt.of(played))
        moves = played.legal_moves
    assert client.game(game.id).status == "finished"
    bundle = client.verify(game.id, receipts)
    assert len(bundle["events"]) == receipts[-1].version
    assert [event.event for event in client.events(game.id)][-1]["type"] == "finished"


def test_async_game_and_a_stream_of_it(client: Client, server: Installation) -> None:
    token = client.rest.token

    async def playing() -> tuple[list[StreamEvent], dict[str, object]]:
        async with AsyncClient(server.address, token) as ann:
            game = await ann.play("idle-aces")
            stream = ann.events(game.id)
            first = await anext(stream)

            async def rest() -> list[StreamEvent]:
                return [first, *[event async for event in stream]]

            task = asyncio.create_task(rest())
            receipts = [
                Receipt.of(await ann.move(game.id, {"type": "draw"})),
                Receipt.of(await ann.move(game.id, {"type": "resign"})),
            ]
            return await task, await ann.verify(game.id, receipts)

    events, bundle = asyncio.run(playing())
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    assert [event.type for event in events] == [event["type"] for event in bundle["events"]]  # type: ignore[index]


def test_tampered_bundle_and_foreign_receipt_are_found(client: Client) -> None:
    game = client.play("idle-aces")
    receipt = Receipt.of(client.move(game.id, {"type": "resign"}))
    bundle = client.verify(game.id, [receipt])
    with pytest.raises(BundleInvalid, match="receipt"):
        verify_bundle(bundle, [Receipt(receipt.version, "0" * 64)])
    forged = copy.deepcopy(bundle)
    forged["events"][0]["data"]["config"] = {"forged": True}
    with pytest.raises(BundleInvalid, match="event 1"):
        verify_bundle(forged)


def test_a_lost_answer_is_asked_for_again_and_moves_once(relayed: Client, wire: Relay) -> None:
    game = relayed.play("idle-aces")
    wire.lose_answer(f"POST /api/v1/games/{game.id}/moves/".encode())
    played = relayed.move(game.id, {"type": "draw"})
    assert played.version == game.version + 1
    assert relayed.game(game.id).version == played.version


def test_the_same_key_gets_the_same_answer_from_another_client(client: Client, server: Installation) -> None:
    game, key = client.play("idle-aces"), new_key()
    body = MoveInputRequest({"type": "draw"})
    first = client.move(game.id, {"type": "draw"}, idempotency_key=key)
    again = moves_create.sync_detailed(game.id, client=client.rest, body=body, idempotency_key=key)
    assert again.headers["Idempotent-Replay"] == "true"
    assert answered(again.parsed) == first


def test_refusals_have_their_class_and_code(
    client: Client, server: Installation, subtests: pytest.Subtests
) -> None:
    game = client.play("idle-aces")
    client.move(game.id, {"type": "draw"})
    reader = player(server.address, ("read",))
    forger = Client(server.address, "no-such-token")
    unknown = "00000000-0000-4000-8000-000000000000"
    refused = [
        (NotAuthenticated, 401, "not-authenticated", lambda: forger.game(game.id)),
        (Forbidden, 403, "scope-required", lambda: reader.open_game("idle-aces")),
        (NotFound, 404, "not-found", lambda: client.game(unknown)),
        (BadRequest, 400, "unknown-move", lambda: client.move(game.id, {"type": "fly"})),
        (PreconditionFailed, 412, "stale-version", lambda: client.move(game.id, {"type": "draw"}, version=1)),
        (Conflict, 409, None, lambda: client.start(game.id)),
    ]
    for kind, status, code, call in refused:
        with subtests.test(status=status):
            with pytest.raises(ProblemError) as caught:
                call()
            assert (type(caught.value), caught.value.status) == (kind, status)
            assert caught.value.code == (code or caught.value.code) != ""
    reader.close()
    forger.close()


def test_a_list_is_read_page_by_page(client: Client) -> None:
    opened = {client.play("idle-aces").id for _ in range(3)}
    first = answered(games_list.sync(client=client.rest, mine=True, limit=1))
    assert len(first.results) == 1
    assert {game.id for game in client.pages(first)} == opened


def test_documents_survive_a_round_trip(client: Client) -> None:
    game = client.play("idle-aces")
    document = client.session.get(f"/api/v1/games/{game.id}/").json()
    assert json.loads(json.dumps(client.game(game.id).to_dict())).keys() == document.keys()
