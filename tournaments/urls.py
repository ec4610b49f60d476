from django.urls import path

from tournaments import (
    api,
    api_by_hand,
    api_exports,
    api_markets,
    api_meetings,
    api_ratings,
    api_roles,
    api_rounds,
    api_rulings,
    api_waiting,
    api_webhooks,
    api_wishes,
)

urlpatterns = [
    path("tournaments/", api.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<uuid:tournament_id>/", api.TournamentView.as_view(), name="api-tournament"),
    path("tournaments/<uuid:tournament_id>/publish/", api.Publish.as_view(), name="tournament-publish"),
    path("tournaments/<uuid:tournament_id>/start/", api.Start.as_view(), name="tournament-start"),
    path("tournaments/<uuid:tournament_id>/cancel/", api.Cancel.as_view(), name="tournament-cancel"),
    path("tournaments/<uuid:tournament_id>/pause/", api.Pause.as_view(), name="tournament-pause"),
    path("tournaments/<uuid:tournament_id>/resume/", api.Resume.as_view(), name="tournament-resume"),
    path("tournaments/<uuid:tournament_id>/entries/", api.Entries.as_view(), name="tournament-entries"),
    path("tournaments/<uuid:tournament_id>/waiting/", api_waiting.Line.as_view(), name="tournament-waiting"),
    path(
        "tournaments/<uuid:tournament_id>/waiting/check-in/",
        api_waiting.WaitingCheckIn.as_view(),
        name="tournament-waiting-check-in",
    ),
    path("tournaments/<uuid:tournament_id>/check-in/", api.CheckIn.as_view(), name="tournament-check-in"),
    path("tournaments/<uuid:tournament_id>/roles/", api_roles.Roles.as_view(), name="tournament-roles"),
    path(
        "tournaments/<uuid:tournament_id>/roles/<uuid:player_id>/",
        api_roles.RoleView.as_view(),
        name="tournament-role",
    ),
    path(
        "tournaments/<uuid:tournament_id>/entries/<int:entry>/check-in/",
        api.CheckInOther.as_view(),
        name="tournament-entry-check-in",
    ),
    path(
        "tournaments/<uuid:tournament_id>/entries/<int:entry>/disqualify/",
        api_rulings.Disqualify.as_view(),
        name="tournament-entry-disqualify",
    ),
    path(
        "tournaments/<uuid:tournament_id>/meeting/",
        api_meetings.MeetingView.as_view(),
        name="tournament-meeting",
    ),
    path(
        "tournaments/<uuid:tournament_id>/markets/",
        api_markets.Outrights.as_view(),
        name="tournament-markets",
    ),
    path("tournaments/<uuid:tournament_id>/pairs/", api_wishes.Pairs.as_view(), name="tournament-pairs"),
    path(
        "tournaments/<uuid:tournament_id>/pairs/release/",
        api_wishes.ReleasePair.as_view(),
        name="tournament-pairs-release",
    ),
    path("tournaments/<uuid:tournament_id>/rounds/", api_rounds.Rounds.as_view(), name="tournament-rounds"),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/",
        api_rounds.RoundView.as_view(),
        name="tournament-round",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/pairing/",
        api_by_hand.Pairing.as_view(),
        name="tournament-round-pairing",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/pairing/preview/",
        api_by_hand.PreviewPairing.as_view(),
        name="tournament-round-pairing-preview",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings/",
        api_rounds.Standings.as_view(),
        name="tournament-standings",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings/<int:entry>/",
        api_rounds.Arithmetic.as_view(),
        name="tournament-standings-entry",
    ),
    path("ratings/", api_ratings.Ratings.as_view(), name="ratings"),
    path("players/<uuid:player_id>/ratings/", api_ratings.PlayerRatings.as_view(), name="player-ratings"),
    path(
        "players/<uuid:player_id>/ratings/<slug:rules>/",
        api_ratings.PlayerRatingChanges.as_view(),
        name="player-rating-changes",
    ),
    path("tournaments/<uuid:tournament_id>/events/", api_rounds.Events.as_view(), name="tournament-events"),
    path(
        "tournaments/<uuid:tournament_id>/entries.csv",
        api_exports.EntriesCsv.as_view(),
        name="tournament-entries-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings.csv",
        api_exports.StandingsCsv.as_view(),
        name="tournament-standings-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/pairings/",
        api_exports.Pairings.as_view(),
        name="tournament-pairings",
    ),
    path(
        "tournaments/<uuid:tournament_id>/pairings.csv",
        api_exports.PairingsCsv.as_view(),
        name="tournament-pairings-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>.csv",
        api_exports.RoundCsv.as_view(),
        name="tournament-round-csv",
    ),
    path("webhooks/", api_webhooks.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<uuid:hook_id>/", api_webhooks.Webhook.as_view(), name="webhook"),
    path("webhooks/<uuid:hook_id>/enable/", api_webhooks.Enable.as_view(), name="webhook-enable"),
    path("webhooks/<uuid:hook_id>/deliveries/", api_webhooks.Deliveries.as_view(), name="webhook-deliveries"),
    path(
        "webhooks/<uuid:hook_id>/deliveries/<uuid:delivery_id>/redeliver/",
        api_webhooks.Redeliver.as_view(),
        name="webhook-redeliver",
    ),
]
