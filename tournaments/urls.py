from django.urls import include, path

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

of_a_tournament = [
    path("", tournaments.TournamentView.as_view(), name="api-tournament"),
    path("publish/", tournaments.Publish.as_view(), name="tournament-publish"),
    path("start/", tournaments.Start.as_view(), name="tournament-start"),
    path("cancel/", tournaments.Cancel.as_view(), name="tournament-cancel"),
    path("pause/", tournaments.Pause.as_view(), name="tournament-pause"),
    path("resume/", tournaments.Resume.as_view(), name="tournament-resume"),
    path("entries/", entries.Entries.as_view(), name="tournament-entries"),
    path("waiting/", entries.Line.as_view(), name="tournament-waiting"),
    path("waiting/check-in/", entries.WaitingCheckIn.as_view(), name="tournament-waiting-check-in"),
    path("check-in/", entries.CheckIn.as_view(), name="tournament-check-in"),
    path("corrections/", corrections.Corrections.as_view(), name="tournament-corrections"),
    path(
        "corrections/preview/", corrections.CorrectionPreview.as_view(), name="tournament-corrections-preview"
    ),
    path("roles/", tournaments.Roles.as_view(), name="tournament-roles"),
    path("roles/<uuid:player_id>/", tournaments.RoleView.as_view(), name="tournament-role"),
    path("entries/<int:entry>/check-in/", entries.CheckInOther.as_view(), name="tournament-entry-check-in"),
    path("entries/<int:entry>/disqualify/", entries.Disqualify.as_view(), name="tournament-entry-disqualify"),
    path("meeting/", betting.MeetingView.as_view(), name="tournament-meeting"),
    path("markets/", betting.Outrights.as_view(), name="tournament-markets"),
    path("pairs/", manual_pairing.Pairs.as_view(), name="tournament-pairs"),
    path("pairs/release/", manual_pairing.ReleasePair.as_view(), name="tournament-pairs-release"),
    path("bracket/", rounds.BracketView.as_view(), name="tournament-bracket"),
    path("rounds/", rounds.Rounds.as_view(), name="tournament-rounds"),
    path("rounds/<int:number>/", rounds.RoundView.as_view(), name="tournament-round"),
    path("rounds/<int:number>/pairing/", manual_pairing.Pairing.as_view(), name="tournament-round-pairing"),
    path(
        "rounds/<int:number>/pairing/preview/",
        manual_pairing.PreviewPairing.as_view(),
        name="tournament-round-pairing-preview",
    ),
    path("standings/", rounds.Standings.as_view(), name="tournament-standings"),
    path("standings/<int:entry>/", rounds.Arithmetic.as_view(), name="tournament-standings-entry"),
    path("ratings/", ratings.TournamentRatings.as_view(), name="tournament-ratings"),
    path("events/", rounds.Events.as_view(), name="tournament-events"),
    path("entries.csv", exports.EntriesCsv.as_view(), name="tournament-entries-csv"),
    path("standings.csv", exports.StandingsCsv.as_view(), name="tournament-standings-csv"),
    path("pairings/", exports.Pairings.as_view(), name="tournament-pairings"),
    path("pairings.csv", exports.PairingsCsv.as_view(), name="tournament-pairings-csv"),
    path("rounds/<int:number>.csv", exports.RoundCsv.as_view(), name="tournament-round-csv"),
]

urlpatterns = [
    path("tournaments/", tournaments.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<uuid:tournament_id>/", include(of_a_tournament)),
    path("ratings/", ratings.Ratings.as_view(), name="ratings"),
    path("players/<uuid:player_id>/ratings/", ratings.PlayerRatings.as_view(), name="player-ratings"),
    path(
        "players/<uuid:player_id>/ratings/<slug:rules>/",
        ratings.PlayerRatingChanges.as_view(),
        name="player-rating-changes",
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
