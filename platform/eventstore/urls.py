from django.urls import path

from eventstore import api

urlpatterns = [
    path("checkpoints/", api.Checkpoints.as_view(), name="checkpoints"),
    path("checkpoints/latest/", api.Latest.as_view(), name="checkpoint-latest"),
    path("checkpoints/keys/", api.Keys.as_view(), name="checkpoint-keys"),
    path("checkpoints/<int:number>/", api.OneCheckpoint.as_view(), name="checkpoint"),
]
