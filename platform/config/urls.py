from django.contrib import admin
from django.urls import include, path

from config import health, views
from rest import views as api_views

api = [
    path("", include("games.urls")),
    path("", include("rest.urls")),
    path("", include("accounts.urls")),
    path("", include("eventstore.urls")),
    path("", include("ledger.urls")),
    path("", include("tournaments.urls")),
    path("", include("audit.urls")),
    path("", include("disputes.urls")),
]

urlpatterns = [
    path("api/v1/", include(api)),
    path("docs/errors/", api_views.error_catalogue, name="errors"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    # The web client's pages; its own router (frontend/src/routes.ts) distinguishes them.
    path("", views.client, name="lobby"),
    path("sign-in/", views.client, name="sign-in"),
    path("new/<slug:rules>/", views.client, name="new-table"),
    path("games/<uuid:id>/", views.client, name="table"),
    path("games/<uuid:id>/replay/", views.client, name="replay"),
    path("games/<uuid:id>/events/<int:version>", views.client, name="event"),
    path("games/<uuid:id>/events/<int:version>/", views.client),
    path("games/<uuid:id>/audit/", views.client, name="audit"),
    path("games/<uuid:id>/dispute/", views.client, name="claim"),
    path("disputes/", views.client, name="own-disputes"),
    path("disputes/<uuid:id>/", views.client, name="own-dispute"),
    path("tournaments/", views.client, name="tournament-list"),
    path("wallet/", views.client, name="own-wallet"),
    path("wallet/bets/", views.client, name="own-bets"),
    path("wallet/payouts/", views.client, name="own-payouts"),
    path("wallet/protection/", views.client, name="own-protection"),
    path("wallet/sessions/", views.client, name="own-sessions"),
    path("account/", views.client, name="own-account"),
    path("tournaments/<uuid:id>/", views.client, name="tournament"),
    path("tournaments/<uuid:id>/bracket/", views.client, name="bracket"),
]

handler400 = "rest.problems.bad_request"
handler403 = "rest.problems.forbidden"
handler404 = views.not_found
handler500 = "rest.problems.server_error"
