"""Test the permissions of every API operation, for every role, on resources of others.

The operations are those of the URL conf, so a new one without a row fails. A row names the roles that reach the
operation and how others are refused: with 403, or with 404 if they may not learn that it
exists. Callers without valid credentials always get 401.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings

from tests.conftest import headers_of
from tests.security.world import ANONYMOUS, PAUSED, WITHOUT_A_WAY_IN, World, operations, undone

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet"), pytest.mark.slow]

EVERYBODY = frozenset(
    {
        "player",
        "rival",
        "stranger",
        PAUSED,
        "organizer",
        "another organizer",
        "judge",
        "helper",
        "auditor",
        "administrator",
    }
)
"""All signed-in roles."""
ANYBODY = EVERYBODY | {ANONYMOUS}
OWNER = frozenset({"player"})
AT_THE_TABLE = frozenset({"player", "rival"})
SEES_THE_TABLE = AT_THE_TABLE | {"auditor"}
ADMINISTRATOR = frozenset({"administrator"})
BOOKS = frozenset({"auditor", "administrator"})
ORGANIZERS = frozenset({"organizer", "another organizer", "administrator"})
MANAGERS = frozenset({"organizer", "administrator"})
RULERS = MANAGERS | {"judge"}
ASSISTANTS = RULERS | {"helper"}


@dataclass(frozen=True, slots=True)
class Row:
    """`otherwise`: the status for those who are not let, or by role where it differs; `of`: another thing for a
    converter; `body`: what is sent where the right is only judged for a body that is well formed."""

    let: frozenset[str]
    otherwise: int = 403
    but: Mapping[str, int] = field(default_factory=dict)
    of: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)

    def status_for(self, role: str) -> int | None:
        """What turns this role away; None: nothing does."""
        if role in self.let:
            return None
        return self.but.get(role, 401 if role in WITHOUT_A_WAY_IN else self.otherwise)


def open_to(who: frozenset[str], **more: Any) -> Row:
    return Row(who, **more)


def hidden_but_from(who: frozenset[str], **more: Any) -> Row:
    return Row(who, otherwise=404, **more)


IN_OWN_NAME = open_to(EVERYBODY)
PUBLIC = open_to(ANYBODY)
WITHOUT_ACCOUNT = open_to(ANYBODY | WITHOUT_A_WAY_IN)
TABLE = hidden_but_from(SEES_THE_TABLE)
"""A private one. That an auditor sees it is no invitation."""
SHOWN_TABLE = hidden_but_from(SEES_THE_TABLE, but={ANONYMOUS: 404})
"""The same where a public one is shown to those who have not signed in."""
AUDITOR = frozenset({"auditor"})
KNOW_OF_THE_DISPUTE = AT_THE_TABLE | BOOKS
DISPUTE = hidden_but_from(KNOW_OF_THE_DISPUTE)


def disputed(by: frozenset[str]) -> Row:
    """Of a dispute of that table: others who know of it may not."""
    return hidden_but_from(by, but=dict.fromkeys(KNOW_OF_THE_DISPUTE - by, 403))


RACE = {"game_id": "race"}
SEATED_NOT_STAFF = {"player": 403, "rival": 403, ANONYMOUS: 401}
A_REASON = {"reason": "the lights are out"}
BEGUN = {"tournament_id": "begun"}
HOOK = Row(frozenset({"organizer"}), but={"another organizer": 404, "administrator": 404})

ROWS: dict[str, Row] = {
    "get root": PUBLIC,
    "get schema": WITHOUT_ACCOUNT,
    "get docs": WITHOUT_ACCOUNT,
    "get changes": IN_OWN_NAME,
    "get player-me-waiting": IN_OWN_NAME,
    "get challenges": IN_OWN_NAME,
    "post challenges": IN_OWN_NAME,
    "get challenge": hidden_but_from(AT_THE_TABLE),
    "post challenge-accept": hidden_but_from(frozenset({"rival"})),
    "post challenge-decline": hidden_but_from(frozenset({"rival"})),
    "post challenge-withdraw": hidden_but_from(OWNER),
    # accounts
    "post players": WITHOUT_ACCOUNT,
    "post guests": WITHOUT_ACCOUNT,
    "post guest-session": open_to(frozenset({ANONYMOUS})),
    "post guest-sign-up": open_to(frozenset()),
    "post tokens": WITHOUT_ACCOUNT,
    "get tokens": IN_OWN_NAME,
    "delete tokens": IN_OWN_NAME,
    "post player-me-tokens": open_to(frozenset()),  # by a session alone
    "get token-current": IN_OWN_NAME,
    "delete token-current": IN_OWN_NAME,
    "delete token": open_to(frozenset(), otherwise=404),
    "get player-me-bots": IN_OWN_NAME,
    "post player-me-bots": IN_OWN_NAME,
    "patch player-me-bot": hidden_but_from(OWNER, body={"accepts": "owner"}),
    "delete player-me-bot": hidden_but_from(OWNER),
    "get player-me-bot-tokens": hidden_but_from(OWNER),
    "post player-me-bot-tokens": hidden_but_from(OWNER),
    "delete player-me-bot-token": hidden_but_from(frozenset()),
    "get player-me": IN_OWN_NAME,
    "get player-me-blocks": IN_OWN_NAME,
    "put player-me-block": IN_OWN_NAME,
    "delete player-me-block": IN_OWN_NAME,
    "post player-reports": IN_OWN_NAME,
    "put player-names": open_to(ADMINISTRATOR),
    "put player-suspension": open_to(ADMINISTRATOR),
    "delete player-suspension": open_to(ADMINISTRATOR),
    "get reports-of-players": open_to(ADMINISTRATOR),
    "post report-closing": open_to(ADMINISTRATOR),
    "patch player-me": IN_OWN_NAME,
    "delete player-me": IN_OWN_NAME,
    "get player-me-export": IN_OWN_NAME,
    "get push-subscriptions": IN_OWN_NAME,
    "post push-subscriptions": IN_OWN_NAME,
    "delete push-subscription": open_to(frozenset(), otherwise=404),
    "get notifications": IN_OWN_NAME,
    "post notifications-read": IN_OWN_NAME,
    "get notifications-preferences": IN_OWN_NAME,
    "patch notifications-preferences": IN_OWN_NAME,
    "get notifications-webhook": IN_OWN_NAME,
    "put notifications-webhook": IN_OWN_NAME,
    "delete notifications-webhook": IN_OWN_NAME,
    "delete player": open_to(ADMINISTRATOR),
    "get player-export": open_to(ADMINISTRATOR),
    "post player-recovery": open_to(ADMINISTRATOR),
    "put player-roles": open_to(ADMINISTRATOR),
    # audits
    "get audit-reports": open_to(BOOKS),
    "post audit-reports": open_to(BOOKS),
    "get audit-report": open_to(BOOKS),
    "get audit-game": open_to(BOOKS),
    "get audit-tournament": open_to(BOOKS),
    # checkpoints
    "get checkpoints": PUBLIC,
    "get checkpoint-latest": PUBLIC,
    "get checkpoint-keys": PUBLIC,
    "get checkpoint": PUBLIC,
    # games
    "get rules": PUBLIC,
    "get games": PUBLIC,
    "post games": IN_OWN_NAME,
    "post game-pairing": IN_OWN_NAME,
    "get matches": PUBLIC,
    "post matches": IN_OWN_NAME,
    "get match": SHOWN_TABLE,
    "get game": SHOWN_TABLE,
    "post game-seats": hidden_but_from(AT_THE_TABLE),
    "delete game-own-seat": hidden_but_from(AT_THE_TABLE, but={"auditor": 403}),
    "post game-bots": hidden_but_from(AT_THE_TABLE, but={"auditor": 403}),
    "post game-start": hidden_but_from(AT_THE_TABLE, but={"auditor": 403}),
    "post game-rematch": hidden_but_from(AT_THE_TABLE, but={"auditor": 403}),
    "post game-moves": hidden_but_from(AT_THE_TABLE, but={"auditor": 403}, body={"move": {"type": "pass"}}),
    "get game-legal-moves": TABLE,
    "get game-events": TABLE,
    "get game-replay": TABLE,
    "get game-recording": TABLE,
    "get game-verification": TABLE,
    "get game-bundle": TABLE,
    "get game-evidence": TABLE,
    "get game-evidence-event": TABLE,
    "get game-refused": TABLE,
    "get game-received": TABLE,
    "get game-suspension": TABLE,
    "post game-suspension": hidden_but_from(frozenset({"auditor"}), but=SEATED_NOT_STAFF, body=A_REASON),
    "post game-resumption": hidden_but_from(frozenset({"auditor"}), but=SEATED_NOT_STAFF, body=A_REASON),
    "get game-hint": hidden_but_from(OWNER, but={"auditor": 403}, of={"game_id": "vegas"}),
    "get game-odds": hidden_but_from(OWNER | {"auditor"}, but={ANONYMOUS: 404}, of=RACE),
    "get game-market": open_to(ANYBODY, of={"game_id": "backed"}),
    "post game-market": open_to(
        frozenset(), but={"organizer": 404, "another organizer": 404, "administrator": 404},
        of=RACE, body={"kind": "pool"},
    ),
    # disputes
    "get disputes": IN_OWN_NAME,
    "get game-disputes": TABLE,
    "get game-dispute-mine": TABLE,
    "post game-disputes": hidden_but_from(
        AT_THE_TABLE, but={"auditor": 403}, body={"version": 1, "claim": "that was not legal"}
    ),
    "get dispute": DISPUTE,
    "get dispute-events": DISPUTE,
    "post dispute-withdrawal": disputed(OWNER),
    "post dispute-evidence": open_to(AUDITOR),
    "post dispute-suspension": open_to(AUDITOR),
    "post dispute-resumption": open_to(AUDITOR),
    "post ruling-preview": open_to(AUDITOR),
    "post dispute-ruling": open_to(AUDITOR),
    "post ruling-approval": open_to(BOOKS),
    "post ruling-refusal": open_to(BOOKS),
    "post dispute-appeal": disputed(AT_THE_TABLE),
    # money
    "get wallet": IN_OWN_NAME,
    "get wallet-limits": IN_OWN_NAME,
    "post wallet-limits": IN_OWN_NAME,
    "delete wallet-limit-pending": hidden_but_from(OWNER),
    "get wallet-time-outs": IN_OWN_NAME,
    "post wallet-time-outs": IN_OWN_NAME,
    "get wallet-self-exclusion": IN_OWN_NAME,
    "post wallet-self-exclusion": IN_OWN_NAME,
    "get wallet-reality": IN_OWN_NAME,
    "post wallet-top-up": IN_OWN_NAME,
    "get wallet-statement": IN_OWN_NAME,
    "get wallet-statement-csv": IN_OWN_NAME,
    "get wallet-history": IN_OWN_NAME,
    "get wallet-history-csv": IN_OWN_NAME,
    "get player-protection": open_to(BOOKS),
    "post player-limits": open_to(ADMINISTRATOR),
    "post player-time-outs": open_to(ADMINISTRATOR),
    "post player-exclusions": open_to(ADMINISTRATOR),
    "get play-sessions": IN_OWN_NAME,
    "post play-sessions": IN_OWN_NAME,
    "get play-session": hidden_but_from(OWNER),
    "post play-session-cash-out": hidden_but_from(OWNER),
    "get stakes": PUBLIC,
    "post stakes": open_to(ADMINISTRATOR),
    "get stake-table": PUBLIC,
    "get stake-terms": PUBLIC,
    "get stake-offer": PUBLIC,
    "post stake-terms": open_to(ADMINISTRATOR),
    "post stake-funding": open_to(ADMINISTRATOR),
    "post stake-defunding": open_to(ADMINISTRATOR),
    "get markets": IN_OWN_NAME,
    "get market": IN_OWN_NAME,
    "get market-bets": IN_OWN_NAME,
    "post market-bets": IN_OWN_NAME,
    "post market-bets-void": IN_OWN_NAME,
    "post market-settle": open_to(ADMINISTRATOR),
    "post market-resettle": open_to(ADMINISTRATOR),
    "post market-void": open_to(ADMINISTRATOR),
    "get bets": IN_OWN_NAME,
    "get bet": hidden_but_from(OWNER),
    "post bet-cancel": hidden_but_from(OWNER),
    "get withdrawals": IN_OWN_NAME,
    "post withdrawals": IN_OWN_NAME,
    "get withdrawal": hidden_but_from(OWNER),
    "post withdrawal-cancel": hidden_but_from(OWNER),
    "get payouts": open_to(BOOKS),
    "get payout": open_to(BOOKS),
    "post payout-approve": open_to(ADMINISTRATOR),
    "post payout-hold": open_to(ADMINISTRATOR),
    "post payout-release": open_to(ADMINISTRATOR),
    "post payout-reject": open_to(ADMINISTRATOR),
    "post payout-reinstate": open_to(ADMINISTRATOR),
    "post payout-pay": open_to(ADMINISTRATOR),
    "get payout-batches": open_to(BOOKS),
    "post payout-batches": open_to(ADMINISTRATOR),
    "get payout-batch": open_to(BOOKS),
    "get payout-batch-csv": open_to(ADMINISTRATOR),
    "post payout-batch-pay": open_to(ADMINISTRATOR),
    "get freezes": open_to(BOOKS),
    "post freezes": open_to(BOOKS),
    "post freeze-release": open_to(BOOKS),
    "get buy-ins": IN_OWN_NAME,
    "get pots": open_to(BOOKS),
    "get pot": open_to(BOOKS),
    "post pot-resettle": open_to(ADMINISTRATOR),
    "post deposits": open_to(ADMINISTRATOR),
    "post reversals": open_to(ADMINISTRATOR),
    "get accounts": open_to(BOOKS),
    "get account-statement": open_to(BOOKS),
    "get account-statement-csv": open_to(BOOKS),
    "get reports-days": open_to(BOOKS),
    "get reports-days-csv": open_to(BOOKS),
    "get reports-games": open_to(BOOKS),
    "get reports-games-csv": open_to(BOOKS),
    "get reports-single-games": open_to(BOOKS),
    "get reports-single-games-csv": open_to(BOOKS),
    "get reports-tournaments": open_to(BOOKS),
    "get reports-tournaments-csv": open_to(BOOKS),
    "get reports-stake-tables": open_to(BOOKS),
    "get reports-stake-tables-csv": open_to(BOOKS),
    "get ledger-hledger": open_to(BOOKS),
    "get ledger-beancount": open_to(BOOKS),
    "get transfers": open_to(BOOKS),
    "get reconciliations": open_to(BOOKS),
    "get trial-balance": open_to(BOOKS),
    # tournaments
    "get tournaments": PUBLIC,
    "post tournaments": open_to(ORGANIZERS),
    "get tournament-formats": PUBLIC,
    "post tournament-preview": open_to(ORGANIZERS),
    "get api-tournament": PUBLIC,
    "put api-tournament": open_to(MANAGERS),
    "delete api-tournament": open_to(MANAGERS),
    "post tournament-duplicate": open_to(ORGANIZERS),
    "post tournament-publish": open_to(MANAGERS),
    "post tournament-start": open_to(MANAGERS),
    "post tournament-cancel": open_to(MANAGERS),
    "post tournament-pause": open_to(RULERS),
    "post tournament-resume": open_to(RULERS),
    "get tournament-entries": PUBLIC,
    "post tournament-entries": open_to(EVERYBODY - {"judge"}),
    "delete tournament-entries": IN_OWN_NAME,
    "get tournament-waiting": PUBLIC,
    "delete tournament-waiting": IN_OWN_NAME,
    "post tournament-waiting-check-in": IN_OWN_NAME,
    "post tournament-check-in": IN_OWN_NAME,
    "get tournament-corrections": PUBLIC,
    "post tournament-corrections": open_to(RULERS),
    "post tournament-corrections-preview": open_to(RULERS),
    "get tournament-roles": PUBLIC,
    "post tournament-roles": open_to(MANAGERS),
    "delete tournament-role": open_to(MANAGERS, of={"player_id": "judge"}),
    "post tournament-entry-check-in": open_to(ASSISTANTS),
    "post tournament-entry-disqualify": open_to(RULERS),
    "get tournament-meeting": open_to(ANYBODY, of={"tournament_id": "meeting"}),
    "get tournament-markets": PUBLIC,
    "post tournament-markets": open_to(MANAGERS),
    "get tournament-pairs": PUBLIC,
    "post tournament-pairs": open_to(MANAGERS),
    "post tournament-pairs-release": open_to(MANAGERS),
    "get tournament-attention": open_to(ASSISTANTS),
    "get tournament-bracket": PUBLIC,
    "get tournament-ratings": PUBLIC,
    "get tournament-rounds": PUBLIC,
    "get tournament-round": open_to(ANYBODY, of=BEGUN),
    "post tournament-round-open": open_to(MANAGERS),
    "post tournament-round-close": open_to(MANAGERS),
    "put tournament-round-pairing": open_to(MANAGERS),
    "delete tournament-round-pairing": open_to(MANAGERS),
    "post tournament-round-pairing-preview": open_to(MANAGERS),
    "get tournament-standings": PUBLIC,
    "get tournament-standings-entry": PUBLIC,
    "get tournament-events": PUBLIC,
    "get tournament-entries-csv": PUBLIC,
    "get tournament-standings-csv": PUBLIC,
    "get tournament-pairings": PUBLIC,
    "get tournament-pairings-csv": PUBLIC,
    "get tournament-round-csv": open_to(ANYBODY, of=BEGUN),
    "get ratings": PUBLIC,
    "get player-ratings": PUBLIC,
    "get player-rating-changes": PUBLIC,
    # webhooks
    "get webhooks": open_to(ORGANIZERS),
    "post webhooks": open_to(ORGANIZERS),
    "get webhook": HOOK,
    "delete webhook": HOOK,
    "post webhook-enable": HOOK,
    "get webhook-deliveries": HOOK,
    "post webhook-redeliver": HOOK,
}  # fmt: skip

PARTS = (
    "config",
    "rest",
    "accounts",
    "audit",
    "eventstore",
    "games",
    "disputes",
    "ledger",
    "tournaments",
    "webpush",
    "notifications",
)
PRIVATE = ("game_id", "dispute_id", "match_id", "vegas", "race", "draft", "session_id", "bet_id", "payout_id",
           "batch_id", "freeze_id", "pot_id", "hook_id", "delivery_id", "subscription_id")  # fmt: skip
"""Things whose ids a stranger must nowhere meet."""


def part_of(view: Any) -> str:
    return str(view.__module__).partition(".")[0]


def requested(world: World, client: Any, method: str, name: str, route: str, **others: str) -> Any:
    """The answer; nothing stays of what was done."""
    row = ROWS[f"{method} {name}"]
    body = None if method == "get" else dict(row.body)
    return undone(client, method, world.address(route, **{**row.of, **others}), body)


def test_every_operation_has_a_row() -> None:
    known = Counter(f"{method} {name}" for method, name, _, _ in operations())
    assert set(known) == set(ROWS)
    assert max(known.values()) == 1, "two operations of one name"
    assert {part_of(view) for *_, view in operations()} == set(PARTS)


MANY = 9
"""Roles: more of them than this are let only where the operation looks at no role."""


def roles_to_try(row: Row, turn: int) -> set[str]:
    """All roles; of operations that permit nearly every role only three in turn, and always the anonymous request."""
    if len(row.let) <= MANY:
        return set(ANYBODY | WITHOUT_A_WAY_IN)
    let = sorted(row.let - {ANONYMOUS})
    some = {let[(turn + step) % len(let)] for step in (0, 3, 7)}
    return set(ANYBODY | WITHOUT_A_WAY_IN) - row.let | some | {ANONYMOUS}


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("part", PARTS)
def test_access_matches_table(world: World, part: str, thorough: bool) -> None:
    wrong = {}
    clients = {role: world.client(role) for role in world.roles}
    for turn, (method, name, route, view) in enumerate(operations()):
        if part_of(view) != part:
            continue
        row = ROWS[f"{method} {name}"]
        for role in world.roles if thorough else roles_to_try(row, turn):
            client = clients[role]
            answer = requested(world, client, method, name, route)
            due = row.status_for(role)
            turned_away = answer.status_code if answer.status_code in (401, 403, 404) else None
            if turned_away != due or answer.status_code >= 500:
                wrong[f"{method} {name} by {role}"] = (answer.status_code, due)
    assert wrong == {}


def test_draft_is_hidden_from_others(world: World) -> None:
    clients = {role: world.client(role) for role in (ANONYMOUS, "player", "another organizer")}
    for method, name, route, _ in operations():
        if "<uuid:tournament_id>" not in route or ROWS[f"{method} {name}"].let <= BOOKS:
            continue
        for role, client in clients.items():
            answer = requested(world, client, method, name, route, tournament_id="draft")
            assert answer.status_code in ((401, 404) if role == ANONYMOUS else (404,)), (method, name, role)


def test_responses_to_strangers_contain_no_hidden_ids(world: World) -> None:
    hidden = {str(world.ids[name]): name for name in PRIVATE}
    client = world.client("stranger")
    for method, name, route, _ in operations():
        if method != "get" or "stranger" not in ROWS[f"get {name}"].let:
            continue
        answer = requested(world, client, method, name, route)
        text = answer.getvalue().decode()
        assert [what for id, what in hidden.items() if id in text] == [], name


def test_hidden_resource_answers_like_missing_one(world: World) -> None:
    client = world.client("stranger")
    for method, name, route, _ in operations():
        if ROWS[f"{method} {name}"].status_for("stranger") == 404:
            hidden = requested(world, client, method, name, route)
            world.ids["nothing"] = uuid4()
            of = dict.fromkeys(re.findall("<uuid:(\\w+)>", route), "nothing")
            nothing = requested(world, client, method, name, route, **of)
            page = (nothing.status_code, nothing.content, headers_of(nothing))
            assert (hidden.status_code, hidden.content, headers_of(hidden)) == page, (method, name)


def test_staff_without_required_code_have_no_access(world: World) -> None:
    with override_settings(REQUIRE_SECOND_FACTOR=True):
        clients = [world.client(role) for role in ("organizer", "auditor", "administrator")]
        for method, name, route, _ in operations():
            let = ROWS[f"{method} {name}"].let
            if let & {"stranger", "player"}:
                continue
            for client in clients:
                assert requested(world, client, method, name, route).status_code in (403, 404), (method, name)


def test_session_requires_csrf_token(world: World) -> None:
    browser = world.browser("administrator", careful=True)
    for method, name, route, _ in operations():
        if method == "get" or ANONYMOUS in ROWS[f"{method} {name}"].let:  # these look at no session
            continue
        answer = requested(world, browser, method, name, route)
        assert (answer.status_code, answer.json()["code"]) == (403, "csrf-refused"), (method, name)
