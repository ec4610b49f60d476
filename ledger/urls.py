from django.urls import path

from ledger import api
from ledger.betting import api as betting
from ledger.buyins import api as buyins
from ledger.limits import api as limits
from ledger.limits import api_staff as protection
from ledger.payouts import api as payouts
from ledger.payouts import api_batches as batches
from ledger.reconciliation import api as reconciliation
from ledger.records import api as records
from ledger.records import api_reports as reports
from ledger.stakes import api as stakes

urlpatterns = [
    path("wallet/", api.Wallet.as_view(), name="wallet"),
    path("wallet/limits/", limits.Limits.as_view(), name="wallet-limits"),
    path(
        "wallet/limits/<slug:kind>/<slug:period>/pending/",
        limits.Pending.as_view(),
        name="wallet-limit-pending",
    ),
    path("wallet/time-outs/", limits.TimeOuts.as_view(), name="wallet-time-outs"),
    path("wallet/self-exclusion/", limits.SelfExclusion.as_view(), name="wallet-self-exclusion"),
    path("wallet/reality/", limits.Reality.as_view(), name="wallet-reality"),
    path(
        "players/<uuid:player_id>/protection/",
        protection.PlayerProtection.as_view(),
        name="player-protection",
    ),
    path("players/<uuid:player_id>/limits/", protection.PlayerLimits.as_view(), name="player-limits"),
    path("players/<uuid:player_id>/time-outs/", protection.PlayerTimeOuts.as_view(), name="player-time-outs"),
    path(
        "players/<uuid:player_id>/exclusions/",
        protection.PlayerExclusions.as_view(),
        name="player-exclusions",
    ),
    path("wallet/statement/", records.MyStatement.as_view(), name="wallet-statement"),
    path("wallet/statement.csv", records.MyStatementCsv.as_view(), name="wallet-statement-csv"),
    path("wallet/history/", records.MyHistory.as_view(), name="wallet-history"),
    path("wallet/history.csv", records.MyHistoryCsv.as_view(), name="wallet-history-csv"),
    path("play-sessions/", api.PlaySessions.as_view(), name="play-sessions"),
    path("play-sessions/<uuid:session_id>/", api.OnePlaySession.as_view(), name="play-session"),
    path("play-sessions/<uuid:session_id>/cash-out/", api.CashOut.as_view(), name="play-session-cash-out"),
    path("stakes/", stakes.Stakes.as_view(), name="stakes"),
    path("stakes/<slug:slug>/", stakes.OneStakeTable.as_view(), name="stake-table"),
    path("stakes/<slug:slug>/offer/", stakes.Offer.as_view(), name="stake-offer"),
    path("stakes/<slug:slug>/terms/", stakes.Terms.as_view(), name="stake-terms"),
    path("stakes/<slug:slug>/funding/", stakes.Funding.as_view(), name="stake-funding"),
    path("stakes/<slug:slug>/defunding/", stakes.Defunding.as_view(), name="stake-defunding"),
    path("markets/", betting.Markets.as_view(), name="markets"),
    path("markets/<uuid:market_id>/", betting.OneMarket.as_view(), name="market"),
    path("markets/<uuid:market_id>/bets/", betting.MarketBets.as_view(), name="market-bets"),
    path("markets/<uuid:market_id>/bets/void/", betting.VoidBet.as_view(), name="market-bets-void"),
    path("markets/<uuid:market_id>/settle/", betting.SettleMarket.as_view(), name="market-settle"),
    path("markets/<uuid:market_id>/resettle/", betting.ResettleMarket.as_view(), name="market-resettle"),
    path("markets/<uuid:market_id>/void/", betting.VoidMarket.as_view(), name="market-void"),
    path("bets/", betting.Bets.as_view(), name="bets"),
    path("bets/<uuid:bet_id>/", betting.OneBet.as_view(), name="bet"),
    path("bets/<uuid:bet_id>/cancel/", betting.CancelBet.as_view(), name="bet-cancel"),
    path("withdrawals/", payouts.Withdrawals.as_view(), name="withdrawals"),
    path("withdrawals/<uuid:payout_id>/", payouts.OneWithdrawal.as_view(), name="withdrawal"),
    path(
        "withdrawals/<uuid:payout_id>/cancel/", payouts.CancelWithdrawal.as_view(), name="withdrawal-cancel"
    ),
    path("payouts/", payouts.Payouts.as_view(), name="payouts"),
    path("payouts/<uuid:payout_id>/", payouts.OnePayout.as_view(), name="payout"),
    path("payouts/<uuid:payout_id>/approve/", payouts.ApprovePayout.as_view(), name="payout-approve"),
    path("payouts/<uuid:payout_id>/hold/", payouts.HoldPayout.as_view(), name="payout-hold"),
    path("payouts/<uuid:payout_id>/release/", payouts.ReleasePayout.as_view(), name="payout-release"),
    path("payouts/<uuid:payout_id>/reject/", payouts.RejectPayout.as_view(), name="payout-reject"),
    path("payouts/<uuid:payout_id>/reinstate/", payouts.ReinstatePayout.as_view(), name="payout-reinstate"),
    path("payouts/<uuid:payout_id>/pay/", payouts.PayPayout.as_view(), name="payout-pay"),
    path("payout-batches/", batches.Batches.as_view(), name="payout-batches"),
    path("payout-batches/<uuid:batch_id>/", batches.OneBatch.as_view(), name="payout-batch"),
    path("payout-batches/<uuid:batch_id>/csv/", batches.BatchFile.as_view(), name="payout-batch-csv"),
    path("payout-batches/<uuid:batch_id>/pay/", batches.PayBatch.as_view(), name="payout-batch-pay"),
    path("freezes/", batches.Freezes.as_view(), name="freezes"),
    path("freezes/<uuid:freeze_id>/release/", batches.ReleaseFreeze.as_view(), name="freeze-release"),
    path("buy-ins/", buyins.BuyIns.as_view(), name="buy-ins"),
    path("pots/", buyins.Pots.as_view(), name="pots"),
    path("pots/<uuid:pot_id>/", buyins.OnePot.as_view(), name="pot"),
    path("pots/<uuid:pot_id>/resettle/", buyins.ResettlePot.as_view(), name="pot-resettle"),
    path("deposits/", api.Deposits.as_view(), name="deposits"),
    path("reversals/", api.Reversals.as_view(), name="reversals"),
    path("accounts/", api.Accounts.as_view(), name="accounts"),
    path("accounts/<int:account_id>/statement/", records.AnyStatement.as_view(), name="account-statement"),
    path(
        "accounts/<int:account_id>/statement.csv",
        records.AnyStatementCsv.as_view(),
        name="account-statement-csv",
    ),
    path("reports/days/", reports.Days.as_view(), name="reports-days"),
    path("reports/days.csv", reports.DaysCsv.as_view(), name="reports-days-csv"),
    path("reports/games/", reports.Games.as_view(), name="reports-games"),
    path("reports/games.csv", reports.GamesCsv.as_view(), name="reports-games-csv"),
    path("reports/games/<slug:rules>/", reports.SingleGames.as_view(), name="reports-single-games"),
    path("reports/games/<slug:rules>.csv", reports.SingleGamesCsv.as_view(), name="reports-single-games-csv"),
    path("reports/tournaments/", reports.Tournaments.as_view(), name="reports-tournaments"),
    path("reports/tournaments.csv", reports.TournamentsCsv.as_view(), name="reports-tournaments-csv"),
    path("reports/stake-tables/", reports.Tables.as_view(), name="reports-stake-tables"),
    path("reports/stake-tables.csv", reports.TablesCsv.as_view(), name="reports-stake-tables-csv"),
    path("ledger/ledger.journal", records.HledgerExport.as_view(), name="ledger-hledger"),
    path("ledger/ledger.beancount", records.BeancountExport.as_view(), name="ledger-beancount"),
    path("transfers/", api.Transfers.as_view(), name="transfers"),
    path("reconciliations/", reconciliation.Reconciliations.as_view(), name="reconciliations"),
    path("trial-balance/", api.TrialBalances.as_view(), name="trial-balance"),
]
