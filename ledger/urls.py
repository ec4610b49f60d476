from django.urls import path

from ledger import api

urlpatterns = [
    path("wallet/", api.Wallet.as_view(), name="wallet"),
    path("wallet/statement/", api.Statement.as_view(), name="wallet-statement"),
    path("play-sessions/", api.PlaySessions.as_view(), name="play-sessions"),
    path("play-sessions/<uuid:session_id>/", api.OnePlaySession.as_view(), name="play-session"),
    path("play-sessions/<uuid:session_id>/cash-out/", api.CashOut.as_view(), name="play-session-cash-out"),
    path("stakes/", api.Stakes.as_view(), name="stakes"),
    path("deposits/", api.Deposits.as_view(), name="deposits"),
    path("reversals/", api.Reversals.as_view(), name="reversals"),
    path("accounts/", api.Accounts.as_view(), name="accounts"),
    path("transfers/", api.Transfers.as_view(), name="transfers"),
    path("trial-balance/", api.TrialBalances.as_view(), name="trial-balance"),
]
