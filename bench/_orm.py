"""A move as a Django REST framework application writes it: token, serializer, `select_for_update`, and model saves.

It does less than a move of ours: it checks no rules, hashes and seals nothing, and computes neither a view nor the
legal moves. It is served like the platform: by uvicorn with Django's WSGI application behind a2wsgi.
"""

from __future__ import annotations

import os
import uuid
from typing import Any

import django
from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

from config import settings as ours

if not settings.configured:
    settings.configure(
        DATABASES=ours.DATABASES,
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        SECRET_KEY="bench",
        MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
        INSTALLED_APPS=["rest_framework"],
        REST_FRAMEWORK={
            "UNAUTHENTICATED_USER": None,
            "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
            "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        },
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
    )
    django.setup()

from django.db import connection, models, transaction
from django.urls import path
from django.utils import timezone
from rest_framework import serializers
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import get_object_or_404
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class Person(models.Model):
    name = models.CharField(max_length=50)
    is_active = True
    is_authenticated = True

    class Meta:
        app_label = "bench_orm"


class Token(models.Model):
    key = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(Person, on_delete=models.CASCADE)

    class Meta:
        app_label = "bench_orm"


class Game(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    player = models.ForeignKey(Person, on_delete=models.CASCADE)
    version = models.IntegerField(default=0)
    state: models.JSONField[Any, Any] = models.JSONField(default=dict)
    moved_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "bench_orm"


class Move(models.Model):
    game = models.ForeignKey(Game, on_delete=models.CASCADE)
    version = models.IntegerField()
    data: models.JSONField[Any, Any] = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        app_label = "bench_orm"
        constraints = [models.UniqueConstraint(fields=["game", "version"], name="bench_move_once")]


class MoveInput(serializers.Serializer[Any]):
    move = serializers.DictField()


class GameOutput(serializers.ModelSerializer[Game]):
    class Meta:
        model = Game
        fields = ("id", "player", "version", "state", "moved_at")


class BearerToken(TokenAuthentication):
    keyword = "Bearer"
    model = Token


class Moves(APIView):
    authentication_classes = [BearerToken]
    permission_classes = [IsAuthenticated]

    def post(self, request: Request, game: uuid.UUID) -> Response:
        given = MoveInput(data=request.data)
        given.is_valid(raise_exception=True)
        with transaction.atomic():
            locked = get_object_or_404(Game.objects.select_for_update(), pk=game)
            if locked.player_id != request.user.pk:
                raise PermissionDenied
            locked.version += 1
            locked.state = {"last": given.validated_data["move"]}
            locked.save()
            Move.objects.create(
                game=locked, version=locked.version, data=given.validated_data, at=timezone.now()
            )
        return Response(GameOutput(locked).data, status=201)


def prepare(clients: int) -> list[tuple[uuid.UUID, str]]:
    """Create the tables, and for each client a game and the token of its player."""
    with connection.schema_editor() as editor:
        for model in (Person, Token, Game, Move):
            editor.create_model(model)
    made = []
    for number in range(clients):
        person = Person.objects.create(name=f"client {number}")
        token = Token.objects.create(key=uuid.uuid4().hex, user=person)
        made.append((Game.objects.create(player=person).pk, token.key))
    return made


urlpatterns = [path("api/v1/games/<uuid:game>/moves/", Moves.as_view())]
application = WSGIMiddleware(WSGIHandler(), workers=int(os.environ.get("RACECARD_THREADS", "16")))
