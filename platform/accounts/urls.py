from django.urls import path

from accounts import api

urlpatterns = [
    path("players/", api.Players.as_view(), name="players"),
    path("players/me/", api.Me.as_view(), name="player-me"),
    path("players/me/tokens/", api.OwnTokens.as_view(), name="player-me-tokens"),
    path("players/me/export/", api.Export.as_view(), name="player-me-export"),
    path("players/<uuid:player_id>/", api.OnePlayer.as_view(), name="player"),
    path("players/<uuid:player_id>/export/", api.PlayerExport.as_view(), name="player-export"),
    path("players/<uuid:player_id>/recovery/", api.SignInReset.as_view(), name="player-recovery"),
    path("players/<uuid:player_id>/roles/", api.Roles.as_view(), name="player-roles"),
    path("guests/", api.Guests.as_view(), name="guests"),
    path("guests/session/", api.GuestSession.as_view(), name="guest-session"),
    path("guests/sign-up/", api.GuestSignUp.as_view(), name="guest-sign-up"),
    path("tokens/", api.Tokens.as_view(), name="tokens"),
    path("tokens/current/", api.CurrentToken.as_view(), name="token-current"),
    path("tokens/<slug:token_id>/", api.OneToken.as_view(), name="token"),
]
