from django.urls import path

from games.challenges import api as challenges
from games.evidence import api as evidence
from games.matches import api as matches
from games.money import api as money
from games.play import api as play
from games.suspensions import api as suspensions
from games.tables import api as tables

urlpatterns = [
    # The first are found the fastest, and nothing is asked for as often as a move.
    path("games/<uuid:game_id>/moves/", play.Moves.as_view(), name="game-moves"),
    path("rules/", tables.Rules.as_view(), name="rules"),
    path("matches/", matches.Matches.as_view(), name="matches"),
    path("matches/<uuid:match_id>/", matches.Match.as_view(), name="match"),
    path("challenges/", challenges.Challenges.as_view(), name="challenges"),
    path("challenges/<uuid:challenge_id>/", challenges.OneChallenge.as_view(), name="challenge"),
    path("challenges/<uuid:challenge_id>/accept/", challenges.Acceptance.as_view(), name="challenge-accept"),
    path("challenges/<uuid:challenge_id>/decline/", challenges.Declining.as_view(), name="challenge-decline"),
    path(
        "challenges/<uuid:challenge_id>/withdraw/",
        challenges.Withdrawing.as_view(),
        name="challenge-withdraw",
    ),
    path("games/", tables.Games.as_view(), name="games"),
    path("games/pairing/", tables.QuickPairing.as_view(), name="game-pairing"),
    path("games/<uuid:game_id>/", tables.Game.as_view(), name="game"),
    path("games/<uuid:game_id>/seats/", tables.Seats.as_view(), name="game-seats"),
    path("games/<uuid:game_id>/seats/me/", tables.OwnSeat.as_view(), name="game-own-seat"),
    path("games/<uuid:game_id>/bots/", tables.Bots.as_view(), name="game-bots"),
    path("games/<uuid:game_id>/start/", tables.Start.as_view(), name="game-start"),
    path("games/<uuid:game_id>/rematch/", tables.Rematch.as_view(), name="game-rematch"),
    path("games/<uuid:game_id>/legal-moves/", play.LegalMoves.as_view(), name="game-legal-moves"),
    path("games/<uuid:game_id>/suspension/", suspensions.Suspension.as_view(), name="game-suspension"),
    path("games/<uuid:game_id>/resumption/", suspensions.Resumption.as_view(), name="game-resumption"),
    path("games/<uuid:game_id>/odds/", money.RaceOdds.as_view(), name="game-odds"),
    path("games/<uuid:game_id>/market/", money.RaceMarket.as_view(), name="game-market"),
    path("games/<uuid:game_id>/hint/", play.Hint.as_view(), name="game-hint"),
    path("games/<uuid:game_id>/events/", play.Events.as_view(), name="game-events"),
    path("games/<uuid:game_id>/replay/", play.Replay.as_view(), name="game-replay"),
    path("games/<uuid:game_id>/recording/", evidence.Recording.as_view(), name="game-recording"),
    path("games/<uuid:game_id>/verification/", play.Verification.as_view(), name="game-verification"),
    path("games/<uuid:game_id>/bundle/", play.Bundle.as_view(), name="game-bundle"),
    path("games/<uuid:game_id>/evidence/", evidence.Evidence.as_view(), name="game-evidence"),
    path("games/<uuid:game_id>/evidence/refused/", evidence.RefusedCommands.as_view(), name="game-refused"),
    path("games/<uuid:game_id>/evidence/received/", evidence.Received.as_view(), name="game-received"),
    path(
        "games/<uuid:game_id>/evidence/<str:version>/",
        evidence.EvidenceEvent.as_view(),
        name="game-evidence-event",
    ),
]
