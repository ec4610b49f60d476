from django.urls import path

from accounts import api, bots_api, moderation_api

urlpatterns = [
    path("players/", api.Players.as_view(), name="players"),
    path("players/me/", api.Me.as_view(), name="player-me"),
    path("players/me/tokens/", api.OwnTokens.as_view(), name="player-me-tokens"),
    path("players/me/export/", api.Export.as_view(), name="player-me-export"),
    path("players/me/bots/", bots_api.Bots.as_view(), name="player-me-bots"),
    path("players/me/bots/<uuid:bot_id>/", bots_api.OneBot.as_view(), name="player-me-bot"),
    path("players/me/bots/<uuid:bot_id>/tokens/", bots_api.BotTokens.as_view(), name="player-me-bot-tokens"),
    path(
        "players/me/bots/<uuid:bot_id>/tokens/<slug:token_id>/",
        bots_api.OneBotToken.as_view(),
        name="player-me-bot-token",
    ),
    path("players/<uuid:player_id>/", api.OnePlayer.as_view(), name="player"),
    path("players/<uuid:player_id>/export/", api.PlayerExport.as_view(), name="player-export"),
    path("players/<uuid:player_id>/recovery/", api.SignInReset.as_view(), name="player-recovery"),
    path("players/<uuid:player_id>/roles/", api.Roles.as_view(), name="player-roles"),
    path("guests/", api.Guests.as_view(), name="guests"),
    path("guests/session/", api.GuestSession.as_view(), name="guest-session"),
    path("guests/sign-up/", api.GuestSignUp.as_view(), name="guest-sign-up"),
    path("players/me/blocks/", moderation_api.Blocks.as_view(), name="player-me-blocks"),
    path("players/me/blocks/<uuid:player_id>/", moderation_api.OneBlock.as_view(), name="player-me-block"),
    path("players/<uuid:player_id>/reports/", moderation_api.PlayerReports.as_view(), name="player-reports"),
    path("players/<uuid:player_id>/names/", moderation_api.Names.as_view(), name="player-names"),
    path(
        "players/<uuid:player_id>/suspension/", moderation_api.Suspension.as_view(), name="player-suspension"
    ),
    path("player-reports/", moderation_api.Reports.as_view(), name="reports-of-players"),
    path(
        "player-reports/<int:player_report_id>/closing/",
        moderation_api.ReportClosing.as_view(),
        name="report-closing",
    ),
    path("tokens/", api.Tokens.as_view(), name="tokens"),
    path("tokens/current/", api.CurrentToken.as_view(), name="token-current"),
    path("tokens/<slug:token_id>/", api.OneToken.as_view(), name="token"),
]
