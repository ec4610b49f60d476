"""REST of checkpoints: public, so that anyone can store them out of reach of the operator."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import NotFound
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.published import CheckpointOutput
from eventstore.models import Checkpoint
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, document
from rest.pagination import PAGE, PagedView, query, whole_number
from rest.schema import describe
from rest.scopes import Scope

LARGEST = 2**53 - 1


class KeysOutput(TypedDict):
    key: Annotated[str | None, "The one that is to sign next; null before the first."]
    handovers: list[CheckpointOutput]


class Checkpoints(PagedView):
    permission_classes = [AllowAny]
    ordering = ("number",)

    @describe(
        "checkpoints_list",
        "The signed checkpoints of everything that happened here, oldest first",
        scope=Scope.READ,
        response=list[CheckpointOutput],
        parameters=[OpenApiParameter("after", int, description="Only those behind this number.")],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "after", *PAGE)
        after = whole_number(wanted.get("after", "0"), "after", least=0, most=LARGEST)
        found = Checkpoint.objects.filter(number__gt=after).defer("leaves")
        return self.page(found, _document)


class OneCheckpoint(APIView):
    permission_classes = [AllowAny]

    @describe(
        "checkpoints_read",
        "A checkpoint by its number",
        scope=Scope.READ,
        response=CheckpointOutput,
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request, number: int) -> HttpResponse:
        query(request)
        return _response(
            request, Checkpoint.objects.filter(number=min(number, LARGEST)).defer("leaves").first()
        )


class Latest(APIView):
    permission_classes = [AllowAny]

    @describe(
        "checkpoints_latest",
        "The newest checkpoint",
        scope=Scope.READ,
        response=CheckpointOutput,
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request) -> HttpResponse:
        query(request)
        return _response(request, checkpoint.latest())


class Keys(APIView):
    permission_classes = [AllowAny]

    @describe(
        "checkpoints_keys",
        "The public key that signs checkpoints, and the checkpoints in which one key handed over to the next",
        scope=Scope.READ,
        response=KeysOutput,
    )
    def get(self, request: Request) -> Response:
        query(request)
        last = checkpoint.latest()
        keys: KeysOutput = {
            "key": None if last is None else checkpoint.published(last).signer_next,
            "handovers": [one.document() for one in checkpoint.handovers()],
        }
        return Response(keys)


def _response(request: Request, found: Checkpoint | None) -> HttpResponse:
    if found is None:
        raise NotFound
    return document(request, _document(found))


def _document(found: Checkpoint) -> CheckpointOutput:
    return checkpoint.published(found).document()
