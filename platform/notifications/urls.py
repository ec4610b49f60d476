from django.urls import path

from notifications import api

urlpatterns = [
    path("notifications/", api.Notifications.as_view(), name="notifications"),
    path("notifications/read/", api.NotificationsRead.as_view(), name="notifications-read"),
    path(
        "notifications/preferences/",
        api.NotificationPreferences.as_view(),
        name="notifications-preferences",
    ),
    path("notifications/webhook/", api.NotificationWebhook.as_view(), name="notifications-webhook"),
]
