from django.urls import path

from webpush import api

urlpatterns = [
    path("push-subscriptions/", api.PushSubscriptions.as_view(), name="push-subscriptions"),
    path(
        "push-subscriptions/<uuid:subscription_id>/",
        api.OnePushSubscription.as_view(),
        name="push-subscription",
    ),
]
