from django.urls import path

from tournaments.api import (
    betting,
    corrections,
    entries,
    exports,
    manual_pairing,
    ratings,
    rounds,
    tournaments,
    webhooks,
)

urlpatterns = [
    path("tournaments/", tournaments.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<uuid:tournament_id>/", tournaments.TournamentView.as_view(), name="api-tournament"),
    path(
        "tournaments/<uuid:tournament_id>/publish/", tournaments.Publish.as_view(), name="tournament-publish"
    ),
    path("tournaments/<uuid:tournament_id>/start/", tournaments.Start.as_view(), name="tournament-start"),
    path("tournaments/<uuid:tournament_id>/cancel/", tournaments.Cancel.as_view(), name="tournament-cancel"),
    path("tournaments/<uuid:tournament_id>/pause/", tournaments.Pause.as_view(), name="tournament-pause"),
    path("tournaments/<uuid:tournament_id>/resume/", tournaments.Resume.as_view(), name="tournament-resume"),
    path("tournaments/<uuid:tournament_id>/entries/", entries.Entries.as_view(), name="tournament-entries"),
    path("tournaments/<uuid:tournament_id>/waiting/", entries.Line.as_view(), name="tournament-waiting"),
    path(
        "tournaments/<uuid:tournament_id>/waiting/check-in/",
        entries.WaitingCheckIn.as_view(),
        name="tournament-waiting-check-in",
    ),
    path(
        "tournaments/<uuid:tournament_id>/check-in/",
        entries.CheckIn.as_view(),
        name="tournament-check-in",
    ),
    path(
        "tournaments/<uuid:tournament_id>/corrections/",
        corrections.Corrections.as_view(),
        name="tournament-corrections",
    ),
    path(
        "tournaments/<uuid:tournament_id>/corrections/preview/",
        corrections.CorrectionPreview.as_view(),
        name="tournament-corrections-preview",
    ),
    path("tournaments/<uuid:tournament_id>/roles/", tournaments.Roles.as_view(), name="tournament-roles"),
    path(
        "tournaments/<uuid:tournament_id>/roles/<uuid:player_id>/",
        tournaments.RoleView.as_view(),
        name="tournament-role",
    ),
    path(
        "tournaments/<uuid:tournament_id>/entries/<int:entry>/check-in/",
        entries.CheckInOther.as_view(),
        name="tournament-entry-check-in",
    ),
    path(
        "tournaments/<uuid:tournament_id>/entries/<int:entry>/disqualify/",
        entries.Disqualify.as_view(),
        name="tournament-entry-disqualify",
    ),
    path(
        "tournaments/<uuid:tournament_id>/meeting/",
        betting.MeetingView.as_view(),
        name="tournament-meeting",
    ),
    path(
        "tournaments/<uuid:tournament_id>/markets/",
        betting.Outrights.as_view(),
        name="tournament-markets",
    ),
    path("tournaments/<uuid:tournament_id>/pairs/", manual_pairing.Pairs.as_view(), name="tournament-pairs"),
    path(
        "tournaments/<uuid:tournament_id>/pairs/release/",
        manual_pairing.ReleasePair.as_view(),
        name="tournament-pairs-release",
    ),
    path(
        "tournaments/<uuid:tournament_id>/bracket/",
        rounds.BracketView.as_view(),
        name="tournament-bracket",
    ),
    path("tournaments/<uuid:tournament_id>/rounds/", rounds.Rounds.as_view(), name="tournament-rounds"),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/",
        rounds.RoundView.as_view(),
        name="tournament-round",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/pairing/",
        manual_pairing.Pairing.as_view(),
        name="tournament-round-pairing",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>/pairing/preview/",
        manual_pairing.PreviewPairing.as_view(),
        name="tournament-round-pairing-preview",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings/",
        rounds.Standings.as_view(),
        name="tournament-standings",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings/<int:entry>/",
        rounds.Arithmetic.as_view(),
        name="tournament-standings-entry",
    ),
    path(
        "tournaments/<uuid:tournament_id>/ratings/",
        ratings.TournamentRatings.as_view(),
        name="tournament-ratings",
    ),
    path("ratings/", ratings.Ratings.as_view(), name="ratings"),
    path("players/<uuid:player_id>/ratings/", ratings.PlayerRatings.as_view(), name="player-ratings"),
    path(
        "players/<uuid:player_id>/ratings/<slug:rules>/",
        ratings.PlayerRatingChanges.as_view(),
        name="player-rating-changes",
    ),
    path("tournaments/<uuid:tournament_id>/events/", rounds.Events.as_view(), name="tournament-events"),
    path(
        "tournaments/<uuid:tournament_id>/entries.csv",
        exports.EntriesCsv.as_view(),
        name="tournament-entries-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/standings.csv",
        exports.StandingsCsv.as_view(),
        name="tournament-standings-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/pairings/",
        exports.Pairings.as_view(),
        name="tournament-pairings",
    ),
    path(
        "tournaments/<uuid:tournament_id>/pairings.csv",
        exports.PairingsCsv.as_view(),
        name="tournament-pairings-csv",
    ),
    path(
        "tournaments/<uuid:tournament_id>/rounds/<int:number>.csv",
        exports.RoundCsv.as_view(),
        name="tournament-round-csv",
    ),
    path("webhooks/", webhooks.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<uuid:hook_id>/", webhooks.Webhook.as_view(), name="webhook"),
    path("webhooks/<uuid:hook_id>/enable/", webhooks.Enable.as_view(), name="webhook-enable"),
    path("webhooks/<uuid:hook_id>/deliveries/", webhooks.Deliveries.as_view(), name="webhook-deliveries"),
    path(
        "webhooks/<uuid:hook_id>/deliveries/<uuid:delivery_id>/redeliver/",
        webhooks.Redeliver.as_view(),
        name="webhook-redeliver",
    ),
]
