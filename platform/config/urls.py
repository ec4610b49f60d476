from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts.views import authenticator_image
from config import changes, health, sharing, views, waiting
from notifications import unsubscribing
from rest import problem_pages
from tournaments.embeds import EmbeddedBracket, EmbeddedStandings

api: list[URLPattern | URLResolver] = [
    path("", include("games.urls")),
    path("", include("rest.urls")),
    path("", include("accounts.urls")),
    path("", include("eventstore.urls")),
    path("", include("webpush.urls")),
    path("", include("notifications.urls")),
    path("", include("ledger.urls")),
    path("", include("tournaments.urls")),
    path("", include("audit.urls")),
    path("", include("disputes.urls")),
    path("players/me/waiting/", waiting.WaitingView.as_view(), name="player-me-waiting"),
    path("changes/", changes.Changes.as_view(), name="changes"),
]

urlpatterns = [
    path("api/v1/", include(api)),
    path("_allauth/", include("allauth.headless.urls")),
    path("accounts/authenticator.svg", authenticator_image, name="authenticator-image"),
    path("accounts/", include("allauth.urls")),  # the way back from a provider of OpenID Connect
    path("unsubscribe/<str:token>/", unsubscribing.page, name="unsubscribe"),
    path("docs/errors/", problem_pages.error_catalogue, name="errors"),
    path("docs/errors/<slug:code>/", problem_pages.problem_page, name="error"),
    path("offline-worker.js", views.offline_worker, name="offline-worker"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path(
        "embed/tournaments/<uuid:tournament_id>/standings/",
        EmbeddedStandings.as_view(),
        name="embed-standings",
    ),
    path("embed/tournaments/<uuid:tournament_id>/bracket/", EmbeddedBracket.as_view(), name="embed-bracket"),
    path("share/<slug:rules>.png", sharing.picture, name="share-picture"),
    path("apple-touch-icon.png", sharing.icon, name="apple-touch-icon"),
    path("favicon.ico", sharing.icon, name="favicon"),
    path("admin/", admin.site.urls),
    URLPattern(views.ClientRoutes(), views.client, name="client"),
]

handler400 = "rest.problems.bad_request"
handler403 = "rest.problems.forbidden"
handler404 = views.not_found
handler500 = "rest.problems.server_error"
