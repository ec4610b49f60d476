from django.urls import path

from audit import api

urlpatterns = [
    path("audit/reports/", api.Reports.as_view(), name="audit-reports"),
    path("audit/reports/<int:report_id>/", api.ReportView.as_view(), name="audit-report"),
    path("audit/games/<uuid:game_id>/", api.GameAudit.as_view(), name="audit-game"),
    path("audit/tournaments/<uuid:tournament_id>/", api.TournamentAudit.as_view(), name="audit-tournament"),
]
