from django.urls import path

from disputes import api

urlpatterns = [
    path("disputes/", api.Disputes.as_view(), name="disputes"),
    path("games/<uuid:game_id>/disputes/", api.GameDisputes.as_view(), name="game-disputes"),
    path("games/<uuid:game_id>/disputes/mine/", api.OwnDispute.as_view(), name="game-dispute-mine"),
    path("disputes/<uuid:dispute_id>/", api.OneDispute.as_view(), name="dispute"),
    path("disputes/<uuid:dispute_id>/events/", api.DisputeEvents.as_view(), name="dispute-events"),
    path("disputes/<uuid:dispute_id>/withdrawal/", api.Withdrawal.as_view(), name="dispute-withdrawal"),
    path("disputes/<uuid:dispute_id>/evidence/", api.Evidence.as_view(), name="dispute-evidence"),
    path("disputes/<uuid:dispute_id>/suspension/", api.Suspension.as_view(), name="dispute-suspension"),
    path("disputes/<uuid:dispute_id>/resumption/", api.Resumption.as_view(), name="dispute-resumption"),
    path("disputes/<uuid:dispute_id>/ruling/preview/", api.RulingPreview.as_view(), name="ruling-preview"),
    path("disputes/<uuid:dispute_id>/ruling/", api.Ruling.as_view(), name="dispute-ruling"),
    path("disputes/<uuid:dispute_id>/ruling/approval/", api.Approval.as_view(), name="ruling-approval"),
    path("disputes/<uuid:dispute_id>/ruling/refusal/", api.Refusal.as_view(), name="ruling-refusal"),
    path("disputes/<uuid:dispute_id>/appeal/", api.Appeal.as_view(), name="dispute-appeal"),
]
