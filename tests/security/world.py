"""A small installation with a resource at every address and a person of every role.

Ann (`player`) owns a private table and match with bob (`rival`), money, a bet, and a withdrawal. The
tournament and its webhook are olga's (`organizer`); ann is entered there.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.test import Client as Browser
from django.urls import URLPattern, get_resolver
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import bots
from accounts.models import Player, PlayerReport, Token
from accounts.roles import Role
from accounts.services import erase_player, issue_token
from audit.models import AuditReport
from audit.report import document
from core.checks import Report
from disputes import services as disputes
from eventstore.models import Checkpoint
from games import services as games
from games.challenges import services as challenges
from games.matches import services as matches
from games.money import markets
from ledger import services as ledger
from ledger.limits.services import set_limit, take_time_out
from ledger.services import Terms
from tests.checkpoint_maker import Signer
from tests.conftest import NOW, person
from tests.ledger.betting.markets import bet, open_pool
from tests.ledger.payouts.cast import approved, ask, batch, win
from tests.ledger.stakes.pots import open_pot
from tests.money import CURRENCY, cash, fresh_key, fund
from tests.tournaments.meetings import MEETING
from tests.tournaments.playing import SEED, enter, start, terms
from tournaments import roles as tournament_roles
from tournaments import services as tournaments
from tournaments.models import StaffRole, Tournament
from webhooks import services as webhooks
from webhooks.models import Delivery
from webpush.models import Subscription

ANONYMOUS = "anonymous"
CLOSED, LAPSED = "closed account", "lapsed token"
WITHOUT_A_WAY_IN = frozenset({ANONYMOUS, CLOSED, LAPSED})
PAUSED = "player in a time-out"
UNENROLLED = "staff who must enrol a code"


class World:
    """`people` by role, and `ids`: what an address names, by the name of the converter in it."""

    def __init__(self, sign: Callable[[], object] | None = None) -> None:
        """`sign` makes the first checkpoint; by default a stored one that covers nothing."""
        self.people = _cast()
        self.ids = _things(self.people)
        (sign or _checkpoint)()
        self._tokens = {role: issue_token(player=who)[1] for role, who in self.people.items()}
        self._tokens[CLOSED] = _closed()
        self._tokens[LAPSED] = _lapsed()

    @property
    def roles(self) -> list[str]:
        return [ANONYMOUS, *self._tokens]

    def client(self, role: str) -> APIClient:
        """One that bears the token of the role."""
        made = APIClient(raise_request_exception=False)
        if role != ANONYMOUS:
            made.credentials(HTTP_AUTHORIZATION=f"Bearer {self._tokens[role]}")
        return made

    def browser(self, role: str, *, careful: bool = False) -> Browser:
        """One with a session of the role; a careful one checks CSRF tokens, as the server does."""
        made = Browser(enforce_csrf_checks=careful, raise_request_exception=False)
        if role in self.people:
            made.force_login(self.people[role], backend=settings.AUTHENTICATION_BACKENDS[-1])
        return made

    def address(self, route: str, **others: str) -> str:
        """Where `route` leads; `others`: for a converter, the name of another thing than what bears its name."""
        return address(route, {**self.ids, **{name: self.ids[other] for name, other in others.items()}})


def _cast() -> dict[str, Player]:
    made = {
        "player": person("ann"),
        "rival": person("bob"),
        "stranger": person("eve"),
        PAUSED: person("pip"),
        "organizer": person("olga", Role.ORGANIZER),
        "another organizer": person("otto", Role.ORGANIZER),
        "judge": person("judy"),
        "helper": person("hal"),
        "auditor": person("audrey", Role.AUDITOR),
        "administrator": person("adam", Role.ADMINISTRATOR),
    }
    for who in made.values():
        fund(cash(who.pk), 100_000)
    take_time_out(
        player=made[PAUSED].pk,
        hours=1008,
        actor=f"player:{made[PAUSED].pk}",
        key=fresh_key(),
        at=timezone.now(),
    )
    return made


def _closed() -> str:
    gone = person("gone")
    erase_player(player=gone, now=NOW)
    # Erasing ends the tokens too. This one stays, so that only the account refuses access.
    return issue_token(player=gone)[1]


def _lapsed() -> str:
    record, token = issue_token(player=person("late"))
    Token.objects.filter(pk=record.pk).update(expires=timezone.now() - timedelta(seconds=1))
    return token


def _things(people: Mapping[str, Player]) -> dict[str, Any]:
    ann, bob, olga = people["player"], people["rival"], people["organizer"]
    owen = person("owen")
    return {
        **_tables(ann, bob),
        **_money(ann),
        **_tournament(olga, people),
        "player_id": ann.pk,
        "bot_id": bots.create(owner=ann, name="Annbot", owner_only=False, now=NOW).pk,
        # Owned by no role: the holder of a token may end it, and sees no other. So it is with browsers.
        "token_id": issue_token(player=owen)[0].token_key,
        "subscription_id": _push_subscription(owen),
        "report_id": _audit(),
        "player_report_id": _player_report(people["player"], people["rival"]),
        "slug": "vegas-classic",
        "rules": "ace-race",
        "kind": "loss",
        "period": "day",
    }


def _tables(ann: Player, bob: Player) -> dict[str, Any]:
    game = games.create_game(rules="ace-race", config={}, seats=2, creator=ann, private=True, now=NOW)
    match = matches.open_match(
        rules="ace-race", config={}, seats=2, deals=2, creator=ann, private=True, now=NOW
    )
    for who in (ann, bob):
        for table in (game, match.games.get()):
            games.take_seat(game=table, player=who, client_seed="", now=NOW)
    games.start_game(game=game, actor=ann, now=NOW)
    dispute = disputes.open_dispute(
        game_id=game.pk, actor=ann, version=1, claim="my turn was passed", now=NOW
    )
    made = challenges.challenge(challenger=ann, opponents=[str(bob.pk)], rules="ace-race", config={}, now=NOW)
    return {
        "challenge_id": made.pk,
        "dispute_id": dispute.pk,
        "game_id": game.pk,
        "match_id": match.pk,
        **_races(ann),
        "vegas": _vegas(ann),
    }


def _races(ann: Player) -> dict[str, Any]:
    """Two that have not been dealt: a private one, and a public one on which bets are taken."""
    race, backed = (
        games.create_game(rules="racing-aces", config={}, seats=2, creator=ann, private=private, now=NOW)
        for private in (True, False)
    )
    markets.open_market(game=backed, kind="pool", terms=Terms(), opened_by="player:adam", now=NOW)
    return {"race": race.pk, "backed": backed.pk}


def _vegas(ann: Player) -> uuid.UUID:
    game = games.create_game(
        rules="vegas-solitaire", config={"draw": 3, "stake": 0}, seats=1, creator=ann, private=True, now=NOW
    )
    games.take_seat(game=game, player=ann, client_seed="", now=NOW)
    return games.start_game(game=game, actor=ann, now=NOW).pk


def _money(ann: Player) -> dict[str, Any]:
    session = ledger.open_session(player=ann.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=NOW)
    market, subject = open_pool(), f"game:{uuid.uuid4()}"
    win(ann.pk, 300, subject)
    for amount in (500, 900):  # the higher one waits a day
        set_limit(
            player=ann.pk,
            kind="loss",
            period="day",
            amount=amount,
            currency=CURRENCY,
            key=fresh_key(),
            actor=f"player:{ann.pk}",
            at=timezone.now(),
        )
    frozen = ledger.freeze(subject=subject, player=ann.pk, claim="looked into", actor="player:adam", at=NOW)
    return {
        "session_id": session.pk,
        "market_id": market.pk,
        "bet_id": bet(market, "C", 100, ann.pk).pk,
        "payout_id": ask(player=ann.pk).pk,
        "batch_id": batch(approved(player=ann.pk)).pk,
        "freeze_id": frozen.pk,
        "pot_id": open_pot().pk,
        "account_id": cash(ann.pk).pk,
    }


def _tournament(olga: Player, people: Mapping[str, Player]) -> dict[str, Any]:
    drafted = tournaments.create(organizer=olga, terms=terms(), now=NOW)
    held = tournaments.publish(tournament_id=drafted.pk, actor=olga, now=NOW, seed=SEED)
    for role, staff_client in (("judge", StaffRole.JUDGE), ("helper", StaffRole.HELPER)):
        tournament_roles.give(
            tournament_id=held.pk, player_id=people[role].pk, role=staff_client, actor=olga, now=NOW
        )
    enter(held, people["player"])
    begun = tournaments.create(organizer=olga, terms=terms(name="Begun", fee=0, prizes=()), now=NOW)
    tournaments.publish(tournament_id=begun.pk, actor=olga, now=NOW, seed=SEED)
    enter(begun, people["player"], people["rival"])
    start(begun)
    meeting = tournaments.create(organizer=olga, terms=terms(**MEETING, prizes=()), now=NOW)
    tournaments.publish(tournament_id=meeting.pk, actor=olga, now=NOW, seed=SEED)
    return {
        "draft": tournaments.create(organizer=olga, terms=terms(name="Drafted"), now=NOW).pk,
        "begun": begun.pk,
        "meeting": meeting.pk,
        "judge": people["judge"].pk,
        "tournament_id": held.pk,
        "entry": 1,
        "number": 1,
        "version": 1,
        **_webhook(olga, held),
    }


def _player_report(player: Player, by: Player) -> int:
    made = PlayerReport.objects.create(player=player, reporter=by, reason="name", created=NOW)
    return int(made.pk)


def _audit() -> int:
    """A report that was kept, of nothing."""
    kept = AuditReport.objects.create(
        at=NOW,
        seconds=0,
        scope="ledger",
        ok=True,
        events=0,
        faults=0,
        report=document(Report(), scope="ledger"),
    )
    return int(kept.pk)


def _checkpoint() -> None:
    """The first one; what a real one would cover is not committed here."""
    made = Signer().sign()
    about = {"hash": made.hash, "signature": made.signature, "key": made.key}
    Checkpoint.objects.create(number=made.number, body=made.body.encode(), leaves=b"", **about)


def _webhook(olga: Player, held: Tournament) -> dict[str, Any]:
    """Made last, so that nothing has been sent to it."""
    hook, _ = webhooks.register(owner=olga.pk, url="https://hooks.example.org/in", now=NOW)
    webhooks.announce(
        owner=olga.pk, subject=held.subject, position=1, type="tournament.published", data={}, now=NOW
    )
    return {"hook_id": hook.pk, "delivery_id": Delivery.objects.get(hook=hook).pk}


def _push_subscription(owner: Player) -> uuid.UUID:
    about = {"p256dh": "", "auth": "", "name": "Firefox, Linux", "created_at": NOW}
    return Subscription.objects.create(owner=owner, endpoint="https://push.example.org/1", **about).pk


# --- every address -------------------------------------------------------------------------------------

_CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")


def routes(prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address that the server knows under the prefix, as the URL conf has it."""
    return ((route, one) for route, one in _walk(get_resolver().url_patterns) if route.startswith(prefix))


def _walk(patterns: Any, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route, one
        else:
            yield from _walk(one.url_patterns, route)


def address(route: str, ids: Mapping[str, Any]) -> str:
    """Raises KeyError for what the world has nothing of."""
    return "/" + _CONVERTED.sub(lambda found: str(ids[found[1]]), route)


METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> Iterator[tuple[str, str, str, Any]]:
    """Method, name, route and view of each operation of the API."""
    for route, one in routes("api/v1/"):
        view: Any = one.callback.view_class  # type: ignore[attr-defined]
        yield from ((method, str(one.name), route, view) for method in METHODS if hasattr(view, method))


def undone(client: Any, method: str, address: str, body: Any = None, **headers: str) -> Any:
    """The answer to a request of which nothing stays."""
    sent = {"Idempotency-Key": str(uuid.uuid4()), **headers}
    with transaction.atomic():
        answer = client.generic(
            method.upper(),
            address,
            b"" if body is None else json.dumps(body).encode(),
            content_type="application/json",
            headers=sent,
        )
        if answer.streaming:
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer
