"""Push messages: encrypted for one browser, signed by the installation, sent at most once and to public addresses."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from django.test import Client

from accounts.models import Player
from accounts.services import erase_player, export_player
from tests.webhooks.servers import Receiver, serving
from webhooks.sending import Outcome, Transport
from webpush import sending, services
from webpush.models import Subscription
from webpush.services import BadPushKey, BadPushTarget, PushTaken, TooManyPushSubscriptions

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
AUTH = bytes(range(16))
OK = Outcome(201, "", "", 5)


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def data(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return key.public_key().public_bytes(*form)


BROWSER = ec.generate_private_key(ec.SECP256R1())


def subscribe(
    owner: Player, endpoint: str = "https://push.example.org/send/1", auth: bytes = AUTH
) -> Subscription:
    keys = {"p256dh": text(point(BROWSER)), "auth": text(auth)}
    return services.subscribe(owner=owner.pk, endpoint=endpoint, **keys, name="Firefox, Linux", now=NOW)


def send(owner: Player, **changed: Any) -> list[Outcome]:
    said = {
        "title": "Your turn",
        "body": "Ace Race with Ada",
        "link": "/games/1/",
        "tag": "game:1",
        "urgent": True,
        **changed,
    }
    return services.send(owner=owner.pk, now=NOW, **said)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    made = Receiver(OK)
    monkeypatch.setattr(services, "transport", made)
    return made


def test_a_message_over_tls_is_readable_by_the_browser_only_and_signed(
    player: Player, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.RACECARD_SITE_URL = "https://cards.example"
    settings.RACECARD_PUSH_KEY = tmp_path / "push.key"

    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(201)
        to.send_header("Content-Length", "0")
        to.end_headers()

    with serving(tmp_path, answer) as server:
        monkeypatch.setattr(services, "transport", server.transport())
        subscribe(player, server.url)
        assert [one.status for one in send(player)] == [201]
    [request] = server.requests
    assert b"Ace Race" not in request.body
    opened = http_ece.decrypt(request.body, private_key=BROWSER, auth_secret=AUTH, version="aes128gcm")
    assert json.loads(opened) == {
        "title": "Your turn",
        "body": "Ace Race with Ada",
        "link": "/games/1/",
        "tag": "game:1",
    }
    assert request.headers["content-encoding"] == "aes128gcm"
    assert request.headers["urgency"] == "high"
    assert request.headers["ttl"] == "86400"
    assert len(data(request.headers["topic"])) == 24

    scheme, _, terms = request.headers["authorization"].partition(" ")
    given = dict(one.split("=", 1) for one in terms.split(","))
    assert (scheme, given["k"]) == ("vapid", sending.public_key())
    head, claims, signature = given["t"].split(".")
    assert json.loads(data(head))["alg"] == "ES256"
    origin = server.url.removesuffix("/in?x=1")
    expires = int((NOW + timedelta(hours=12)).timestamp())
    assert json.loads(data(claims)) == {"aud": origin, "exp": expires, "sub": "https://cards.example"}
    raw = data(signature)
    signed = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data(given["k"]))
    key.verify(signed, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    assert Subscription.objects.get().used_at == NOW
    assert settings.RACECARD_PUSH_KEY.stat().st_mode & 0o777 == 0o600


def test_the_contact_is_the_address_of_the_site_or_of_its_mail(settings: Any) -> None:
    settings.RACECARD_SITE_URL = "http://localhost:8000"
    settings.DEFAULT_FROM_EMAIL = "Cards <hello@cards.example>"
    assert sending.contact() == "mailto:hello@cards.example"
    settings.RACECARD_SITE_URL = "https://cards.example:8443"
    assert sending.contact() == "https://cards.example"


@pytest.mark.both_databases
def test_each_browser_of_the_player_gets_a_message_once(
    receiver: Receiver, player: Player, rival: Player
) -> None:
    subscribe(player)
    subscribe(player, "https://push.example.org/send/2")
    subscribe(rival, "https://push.example.org/send/3")
    send(player, urgent=False)
    assert sorted(url[-1] for url, *_ in receiver.got) == ["1", "2"]
    assert {headers["urgency"] for _, headers, _ in receiver.got} == {"normal"}
    assert services.reached([player.pk, rival.pk]) == {player.pk, rival.pk}


@pytest.mark.parametrize("status", services.GONE)
def test_a_subscription_that_has_ended_is_removed(receiver: Receiver, player: Player, status: int) -> None:
    receiver.answers.append(Outcome(status, "", "", 5))
    subscribe(player)
    subscribe(player, "https://push.example.org/send/2")
    send(player)
    assert Subscription.objects.get().endpoint != receiver.got[0][0]
    send(player)
    assert len(receiver.got) == 3


@pytest.mark.parametrize("outcome", [Outcome(429, "", "", 5), Outcome(None, "TimeoutError", "", 9)])
def test_a_subscription_outlives_trouble_of_its_service(
    receiver: Receiver, player: Player, outcome: Outcome
) -> None:
    receiver.answers.append(outcome)
    subscribe(player)
    assert send(player) == [outcome]
    assert Subscription.objects.get().used_at is None


def test_this_machine_is_no_push_service(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "transport", Transport(resolve=lambda host, port: ["127.0.0.1"]))
    subscribe(player, "https://push.example.org:8443/send/1")
    [outcome] = send(player)
    assert outcome.error.startswith("refused: ")


def test_a_message_is_small_and_stays_on_the_site(receiver: Receiver, player: Player) -> None:
    subscribe(player)
    send(player, title="ä" * 5000, body="ü" * 5000)
    assert len(receiver.got[0][2]) < 4096
    for link in ("https://elsewhere.example/", "//elsewhere.example/"):
        with pytest.raises(ValueError, match="a path"):
            send(player, link=link)


def test_what_no_browser_sends_is_refused(player: Player) -> None:
    for endpoint in ("http://push.example.org/", "https://127.0.0.1/", "https://intranet/"):
        with pytest.raises(BadPushTarget):
            subscribe(player, endpoint)
    with pytest.raises(BadPushKey):
        subscribe(player, auth=b"short")
    good = {"owner": player.pk, "endpoint": "https://push.example.org/", "name": "x", "now": NOW}
    for wrong in (text(b"\x04" + bytes(64)), "ä" * 20, ""):
        with pytest.raises(BadPushKey):
            services.subscribe(p256dh=wrong, auth=text(AUTH), **good)


@pytest.mark.both_databases
def test_a_browser_belongs_to_the_player_who_signed_in_last(player: Player, rival: Player) -> None:
    first = subscribe(player)
    assert subscribe(player).pk == first.pk
    with pytest.raises(PushTaken):
        subscribe(rival, auth=bytes(16))
    assert subscribe(rival).owner_id == rival.pk
    assert Subscription.objects.count() == 1


@pytest.mark.both_databases
def test_an_account_has_so_many_browsers(player: Player, rival: Player) -> None:
    for number in range(services.MOST_SUBSCRIPTIONS):
        subscribe(player, f"https://push.example.org/{number}")
    with pytest.raises(TooManyPushSubscriptions):
        subscribe(player, "https://push.example.org/more")
    subscribe(rival, "https://push.example.org/rival")


def test_an_erased_player_has_no_browsers(player: Player) -> None:
    subscribe(player)
    assert [one["name"] for one in export_player(player=player)["push_subscriptions"]] == ["Firefox, Linux"]
    erase_player(player=player, now=NOW)
    assert not Subscription.objects.exists()


def test_browsers_over_rest(api: Callable[[Player | None], Client], player: Player, rival: Player) -> None:
    place = "/api/v1/push-subscriptions/"
    assert api(None).get(place).status_code == 401
    body = {
        "endpoint": "https://push.example.org/send/1",
        "p256dh": text(point(BROWSER)),
        "auth": text(AUTH),
        "name": "Firefox, Linux",
    }
    made = api(player).post(place, body)
    assert made.status_code == 201, made.content
    listed = api(player).get(place).json()
    assert listed == {"public_key": sending.public_key(), "subscriptions": [made.json()]}
    assert len(data(listed["public_key"])) == 65
    assert body["auth"] not in json.dumps(listed)
    assert api(rival).get(place).json()["subscriptions"] == []
    one = f"{place}{made.json()['id']}/"
    assert api(rival).delete(one).status_code == 404
    assert api(player).delete(one).status_code == 204
    assert api(player).delete(one).status_code == 404
    refused = api(player).post(place, {**body, "endpoint": "https://10.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-push-target")
