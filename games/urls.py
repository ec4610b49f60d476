from django.urls import path

from games import (
    api,
    api_evidence,
    api_markets,
    api_matches,
    api_odds,
    api_play,
    api_recording,
    api_suspension,
)

urlpatterns = [
    # The first are found the fastest, and nothing is asked for as often as a move.
    path("games/<uuid:game_id>/moves/", api_play.Moves.as_view(), name="game-moves"),
    path("rules/", api.Rules.as_view(), name="rules"),
    path("matches/", api_matches.Matches.as_view(), name="matches"),
    path("matches/<uuid:match_id>/", api_matches.Match.as_view(), name="match"),
    path("games/", api.Games.as_view(), name="games"),
    path("games/<uuid:game_id>/", api.Game.as_view(), name="game"),
    path("games/<uuid:game_id>/seats/", api.Seats.as_view(), name="game-seats"),
    path("games/<uuid:game_id>/seats/me/", api.OwnSeat.as_view(), name="game-own-seat"),
    path("games/<uuid:game_id>/start/", api.Start.as_view(), name="game-start"),
    path("games/<uuid:game_id>/legal-moves/", api_play.LegalMoves.as_view(), name="game-legal-moves"),
    path("games/<uuid:game_id>/suspension/", api_suspension.Suspension.as_view(), name="game-suspension"),
    path("games/<uuid:game_id>/resumption/", api_suspension.Resumption.as_view(), name="game-resumption"),
    path("games/<uuid:game_id>/odds/", api_odds.RaceOdds.as_view(), name="game-odds"),
    path("games/<uuid:game_id>/market/", api_markets.RaceMarket.as_view(), name="game-market"),
    path("games/<uuid:game_id>/hint/", api_play.Hint.as_view(), name="game-hint"),
    path("games/<uuid:game_id>/events/", api_play.Events.as_view(), name="game-events"),
    path("games/<uuid:game_id>/replay/", api_play.Replay.as_view(), name="game-replay"),
    path("games/<uuid:game_id>/recording/", api_recording.Recording.as_view(), name="game-recording"),
    path("games/<uuid:game_id>/verification/", api_play.Verification.as_view(), name="game-verification"),
    path("games/<uuid:game_id>/bundle/", api_play.Bundle.as_view(), name="game-bundle"),
    path("games/<uuid:game_id>/evidence/", api_evidence.Evidence.as_view(), name="game-evidence"),
    path(
        "games/<uuid:game_id>/evidence/refused/", api_evidence.RefusedCommands.as_view(), name="game-refused"
    ),
    path("games/<uuid:game_id>/evidence/received/", api_evidence.Received.as_view(), name="game-received"),
    path(
        "games/<uuid:game_id>/evidence/<str:version>/",
        api_evidence.EvidenceEvent.as_view(),
        name="game-evidence-event",
    ),
]
