"""All operations of the API, and the requests that are compared between two worlds.

An operation on a game is requested for each of the five games in play, every other for the resources at its address in
`tests.security.world`. Only an auditor's view of a running game is left out: it
is early access, which is recorded and excludes the auditor from the game (RULEBOOK 8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.security.test_access_table import ROWS


@dataclass(frozen=True, slots=True)
class Line:
    queries: tuple[str, ...] = ("",)
    """Asked one after the other, `early` by all but auditors."""
    early: tuple[str, ...] = ()
    bodies: tuple[Mapping[str, Any], ...] = ({},)
    """Of what is not a GET."""


PLAIN = Line()

OF_A_GAME: dict[str, Line] = {
    "get game": PLAIN,
    "get game-legal-moves": PLAIN,
    "get game-events": Line(("", "?after=2&limit=3", "?after=4")),
    "get game-replay": Line(("", "?at=3", "?at=6"), early=("?all=true", "?at=4&all=true", "?at=4&seat=1")),
    "get game-recording": Line(("", "?after=2&limit=3"), early=("?all=true", "?seat=1", "?seat=0&all=true")),
    "get game-verification": PLAIN,
    "get game-bundle": Line((), early=("",)),
    "get game-hint": PLAIN,
    "get game-odds": PLAIN,
    "get game-market": PLAIN,
    "post game-market": Line(bodies=({"kind": "pool"},)),
    "post game-moves": Line(bodies=({"move": {"type": "fly"}}, {"move": {}}, {})),
    "post game-seats": Line(bodies=({}, {"client_seed": "x"})),
    "delete game-own-seat": PLAIN,
    "post game-bots": PLAIN,
    "post game-start": Line(bodies=({}, {"countdown": 3})),
    "post game-rematch": PLAIN,
    "get game-suspension": PLAIN,
    "post game-suspension": Line(bodies=({"reason": "looked into"},)),
    "post game-resumption": Line(bodies=({"reason": "looked into"},)),
    "get game-evidence": Line((), early=("", "?after=3&limit=2")),
    "get game-evidence-event": Line((), early=("",)),
    "get game-refused": Line((), early=("",)),
    "get game-received": Line((), early=("?at=4", "?at=5&seat=0", "?at=5&seat=1")),
    "get audit-game": PLAIN,
    "get game-disputes": PLAIN,
    "get game-dispute-mine": PLAIN,
    "post game-disputes": Line(bodies=({"version": 5, "claim": "no"}, {"version": 999, "claim": "no"})),
}

LISTS: dict[str, Line] = {
    "get games": Line(
        (
            "",
            "?status=active",
            "?mine=true",
            "?mine=true&result=running&you=true",
            "?rules=ace-race",
            "?limit=3",
            "?you=true",
            "?free=true&stake=points",
        )
    ),
    "get matches": Line(("", "?mine=true")),
    "get notifications": Line(("", "?limit=1")),
}

WITHOUT_A_GAME = re.findall(
    r"\w+ [\w-]+",
    """
    get root  get schema  get docs  get rules  get changes  get player-me-waiting
    get challenges  post challenges  get challenge
    post challenge-accept  post challenge-decline  post challenge-withdraw
    post players  post tokens  get tokens  delete tokens  delete token
    get token-current  delete token-current  post player-me-tokens
    post guests  post guest-session  post guest-sign-up
    get player-me-blocks  put player-me-block  delete player-me-block  post player-reports
    put player-names  put player-suspension  delete player-suspension  get reports-of-players  post report-closing
    get player-me-bots  post player-me-bots  patch player-me-bot  delete player-me-bot
    get player-me-bot-tokens  post player-me-bot-tokens  delete player-me-bot-token
    get player-me  patch player-me  delete player-me  get player-me-export
    get push-subscriptions  post push-subscriptions  delete push-subscription
    post notifications-read  get notifications-preferences  patch notifications-preferences
    get notifications-webhook  put notifications-webhook  delete notifications-webhook
    delete player  get player-export  post player-recovery  put player-roles
    post games  post game-pairing  post matches  get match
    get wallet  post wallet-top-up  get wallet-limits  post wallet-limits  delete wallet-limit-pending
    get wallet-time-outs  post wallet-time-outs  get wallet-self-exclusion  post wallet-self-exclusion
    get wallet-reality  get wallet-statement  get wallet-statement-csv  get wallet-history  get wallet-history-csv
    get player-protection  post player-limits  post player-time-outs  post player-exclusions
    get play-sessions  post play-sessions  get play-session  post play-session-cash-out
    get stakes  post stakes  get stake-table  get stake-terms  get stake-offer  post stake-terms
    post stake-funding  post stake-defunding
    get markets  get market  get market-bets  post market-bets  post market-bets-void
    post market-settle  post market-resettle  post market-void  get bets  get bet  post bet-cancel
    get withdrawals  post withdrawals  get withdrawal  post withdrawal-cancel
    get payouts  get payout  post payout-approve  post payout-hold  post payout-release  post payout-reject
    post payout-reinstate  post payout-pay
    get payout-batches  post payout-batches  get payout-batch  get payout-batch-csv  post payout-batch-pay
    get freezes  post freezes  post freeze-release  get buy-ins  get pots  get pot  post pot-resettle
    post deposits  post reversals  get accounts  get account-statement  get account-statement-csv
    get reports-days  get reports-days-csv  get reports-games  get reports-games-csv
    get reports-single-games  get reports-single-games-csv  get reports-tournaments  get reports-tournaments-csv
    get reports-stake-tables  get reports-stake-tables-csv
    get ledger-hledger  get ledger-beancount  get transfers  get reconciliations  get trial-balance
    get tournaments  post tournaments  get api-tournament  put api-tournament  delete api-tournament
    get tournament-formats  post tournament-preview  post tournament-duplicate
    post tournament-publish  post tournament-start  post tournament-cancel
    post tournament-pause  post tournament-resume
    get tournament-entries  post tournament-entries  delete tournament-entries
    get tournament-waiting  delete tournament-waiting  post tournament-waiting-check-in
    post tournament-check-in  get tournament-corrections  post tournament-corrections
    post tournament-corrections-preview  get tournament-roles  post tournament-roles  delete tournament-role
    post tournament-entry-check-in  post tournament-entry-disqualify
    get tournament-meeting  get tournament-markets  post tournament-markets
    get tournament-pairs  post tournament-pairs  post tournament-pairs-release
    get tournament-attention  get tournament-bracket  get tournament-rounds  get tournament-round
    post tournament-round-open  post tournament-round-close
    put tournament-round-pairing
    delete tournament-round-pairing  post tournament-round-pairing-preview
    get tournament-standings  get tournament-standings-entry  get tournament-events
    get tournament-entries-csv  get tournament-standings-csv  get tournament-pairings
    get tournament-pairings-csv  get tournament-round-csv
    get tournament-ratings  get ratings  get player-ratings  get player-rating-changes
    get checkpoints  get checkpoint-latest  get checkpoint-keys  get checkpoint
    get disputes  get dispute  get dispute-events  post dispute-withdrawal  post dispute-evidence
    post ruling-preview  post dispute-ruling  post ruling-approval  post ruling-refusal  post dispute-appeal
    post dispute-suspension  post dispute-resumption
    get audit-reports  post audit-reports  get audit-report  get audit-tournament
    get webhooks  post webhooks  get webhook  delete webhook  post webhook-enable
    get webhook-deliveries  post webhook-redeliver
    """,
)

OPERATIONS = dict.fromkeys(WITHOUT_A_GAME, PLAIN) | LISTS | OF_A_GAME


def line_of(operation: str) -> Line:
    """An operation without a line is requested without data; a separate test requires a line."""
    return OPERATIONS.get(operation, PLAIN)


UNCHANGING = ("get root", "get schema", "get docs", "get rules")
"""Documents that are the same in every installation."""


def requested_in_the_suite(operation: str) -> bool:
    """Return whether the suite requests an operation without a game in its address. `make soak` requests all.

    The response to such a command depends only on its body and the rows that it names.
    """
    return operation.startswith("get ") and operation not in UNCHANGING


def games_of(operation: str, games: Sequence[str], thorough: bool) -> Sequence[str]:
    """Return the games to request: all for a GET, which may show cards, and in the suite one for a command."""
    if thorough or operation.startswith("get "):
        return games
    turn = list(OF_A_GAME).index(operation)
    return [games[turn % len(games)]]


def request_data(operation: str) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Return the ids and the body that the table of permissions uses for the address."""
    row = ROWS.get(operation)
    return ({}, {}) if row is None else (row.of, row.body)
