"""Reads of the ledger for other packages. Nothing here changes anything."""

from ledger.betting.markets import market, market_with_key
from ledger.betting.settlements import transfers_of_resettlement
from ledger.core.checkpoint_entries import is_covered
from ledger.core.participants import takes_part
from ledger.core.selectors import (
    RULING,
    Balance,
    BalanceChange,
    TrialBalance,
    as_bundled,
    balance,
    balance_changes,
    currencies,
    currencies_of,
    find,
    newest_position,
    posted_since,
    sums,
    total_at,
    transfers_of,
    transfers_of_ruling,
    trial_balance,
    valid_uuids,
    wallet,
)
from ledger.payouts.selectors import prizes_paid_to_payable
from ledger.play_money import offered_top_up
from ledger.reconciliation.books import reconcile
from ledger.reports.figures import today
from ledger.reports.history import stakes_on
from ledger.reports.rollups import time_zone
from ledger.reports.statements import (
    LineKind,
    kind_of,
    lines,
    newest,
    of_kind,
    statement,
)
from ledger.settlement import unsettled
from ledger.stakes.sessions import play_session, session_balance, session_history
from ledger.stakes.stakes import ruling_flows, rulings_on
from ledger.stakes.tables import stake_table, terms_at
