from django.urls import path

from accounts import api

urlpatterns = [
    path("players/", api.Players.as_view(), name="players"),
    path("players/me/", api.Me.as_view(), name="player-me"),
    path("players/me/export/", api.Export.as_view(), name="player-me-export"),
    path("players/me/password/", api.Password.as_view(), name="player-me-password"),
    path("players/me/otp/", api.Enrolment.as_view(), name="player-me-otp"),
    path("players/me/otp/confirm/", api.EnrolmentConfirmation.as_view(), name="player-me-otp-confirm"),
    path("players/<uuid:player_id>/", api.OnePlayer.as_view(), name="player"),
    path("players/<uuid:player_id>/export/", api.PlayerExport.as_view(), name="player-export"),
    path("players/<uuid:player_id>/recovery/", api.RecoveryLinks.as_view(), name="player-recovery"),
    path("players/<uuid:player_id>/roles/", api.Roles.as_view(), name="player-roles"),
    path("recovery/", api.Recovery.as_view(), name="recovery"),
    path("session/", api.WebSessions.as_view(), name="session"),
    path("tokens/", api.Tokens.as_view(), name="tokens"),
    path("tokens/current/", api.CurrentToken.as_view(), name="token-current"),
    path("tokens/<slug:token_id>/", api.OneToken.as_view(), name="token"),
]
