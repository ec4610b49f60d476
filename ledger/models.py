"""All models of the ledger, as Django and other packages import them."""

from __future__ import annotations

from ledger.betting.models import (
    ENDED,
    Bet,
    BetStatus,
    Market,
    MarketStatus,
    PlayBank,
    Runner,
    Settlement,
    VoidedBet,
)
from ledger.core.models import (
    MAY_BE_NEGATIVE,
    Account,
    Hold,
    HoldState,
    OwnerKind,
    Purpose,
    Transfer,
    TransferQuerySet,
)
from ledger.limits.models import LimitChange, PlayStop, ProtectedPlayer
from ledger.payouts.models import (
    UNDECIDED,
    Freeze,
    FrozenMoney,
    Payout,
    PayoutBatch,
    PayoutStep,
)
from ledger.reconciliation.models import Reconciliation
from ledger.reports.models import (
    AccountDay,
    FlowRollup,
    PlayerCount,
    PlayerDay,
    PurposeSum,
    RollupProgress,
    StakeDay,
    StakeLine,
    SubjectDay,
)
from ledger.stakes.models import (
    BuyIn,
    Division,
    GameStake,
    PlaySession,
    Pot,
    PotStatus,
    StakeRuling,
    StakeStatus,
    StakeTable,
    StakeTerms,
    table_name,
)
