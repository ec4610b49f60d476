"""REST of stake tables: what they offer is for everybody, changing it for administrators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.generics import ListAPIView
from rest_framework.permissions import SAFE_METHODS, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import checked
from api.idempotency import idempotent
from api.pagination import whole_number
from api.query import PAGE, query
from api.schema import describe
from ledger import cashier
from ledger.callers import MayKeepBooks, actor, command_key, own_id
from ledger.posting import Posting
from ledger.serializers import PostingOutput
from ledger.stakes import changing, prospects, selectors
from ledger.stakes.figures import MOST, MOST_PLACES, Figures
from ledger.stakes.models import StakeTable, StakeTerms
from ledger.stakes.serializers import (
    AccountedTermsOutput,
    ChangedTermsOutput,
    FundingInput,
    OpenedTableOutput,
    ProspectsOutput,
    StakeTableInput,
    StakeTableOutput,
    StakeTermsInput,
    StakeTermsOutput,
)

MANAGE = "ledger.manage_stakes"
AUDIT = "ledger.view_ledger"


class MayManageStakes(MayKeepBooks):
    """Everybody reads; what changes something needs the permission that the view names."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)


class Stakes(ListAPIView[StakeTable]):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar = {"POST": MANAGE}
    serializer_class = StakeTableOutput
    queryset = StakeTable.objects.prefetch_related("terms")
    ordering = ("slug",)

    @describe(
        "stakes",
        "Stake tables: the limits and pay tables in force, and what is announced",
        response=StakeTableOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        now = timezone.now()
        page = self.paginate_queryset(self.get_queryset()) or []
        offers = [selectors.offer(table, now) for table in page]
        return self.get_paginated_response(StakeTableOutput(offers, many=True).data)

    @describe(
        "stakes_open",
        "Open a stake table; its name, game, mode and currency are for good (administrators)",
        request=StakeTableInput,
        response=OpenedTableOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        asked = StakeTableInput(data=request.data)
        asked.is_valid(raise_exception=True)
        given, figures, now = asked.validated_data, Figures(**asked.figures), timezone.now()
        table = changing.open_table(
            slug=given["slug"],
            rules=given["rules"],
            mode=given["mode"],
            currency=given.get("currency", selectors.own_currency()),
            figures=figures,
            actor=actor(request),
            reason=given["reason"],
            at=now,
        )
        shown = {
            **StakeTableOutput(selectors.offer(table, now)).data,
            "warnings": changing.warnings(table, figures),
        }
        return Response(shown, status=201, headers={"Location": address_of("stake-table", args=[table.slug])})


class OneStakeTable(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe(
        "stake_table", "A stake table: what it offers now and what is announced", response=StakeTableOutput
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(StakeTableOutput(selectors.offer(selectors.stake_table(slug), timezone.now())).data)


class Offer(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe(
        "stake_offer",
        "What a stake at a table can come to, what of it the house takes, and whether the caller could make it now",
        response=ProspectsOutput,
        parameters=[
            OpenApiParameter("amount", int, required=True, description="pence of one stake or buy-in"),
            OpenApiParameter("seats", int, description="among players: how many buy in; 2 unless said"),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        asked = query(request, "amount", "seats")
        found = prospects.of(
            selectors.stake_table(slug),
            amount=whole_number(asked.get("amount", ""), "amount", least=1, most=MOST),
            seats=whole_number(asked.get("seats", "2"), "seats", least=1, most=MOST_PLACES),
            player=own_id(request) if request.user.is_authenticated else None,
            at=timezone.now(),
        )
        return Response(ProspectsOutput(found).data)


class Terms(ListAPIView[StakeTerms]):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar = {"POST": MANAGE}
    ordering = ("-number",)
    serializer_class = StakeTermsOutput

    def get_queryset(self) -> QuerySet[StakeTerms]:
        return StakeTerms.objects.filter(table=selectors.stake_table(self.kwargs["slug"]))

    @describe(
        "stake_terms",
        "All terms that a table ever had, newest first; by whom and why for auditors and administrators",
        response=AccountedTermsOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        history = self.get_queryset()
        states = selectors.states(history, timezone.now())
        page = self.paginate_queryset(history) or []
        for terms in page:
            terms.standing = states[terms.number]  # type: ignore[attr-defined]
        accounted = request.user.has_perm(AUDIT) or request.user.has_perm(MANAGE)
        shown = AccountedTermsOutput if accounted else StakeTermsOutput
        return self.get_paginated_response(shown(page, many=True).data)

    @describe(
        "stake_terms_change",
        "Change the terms from now or a later moment on; no game already dealt is touched (administrators)",
        request=StakeTermsInput,
        response=ChangedTermsOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        asked = StakeTermsInput(data=request.data)
        asked.is_valid(raise_exception=True)
        table, given, now = selectors.stake_table(slug), asked.validated_data, timezone.now()
        begins = given["effective_from"] or now
        figures = replace(selectors.terms_at(table, max(begins, now)).figures, **asked.figures)
        wanted: dict[str, Any] = {
            "table": table,
            "figures": figures,
            "expected": given["expected"],
            "effective_from": given["effective_from"],
            "at": now,
        }
        plan = changing.planned(**wanted)
        terms = changing.change_terms(**wanted, actor=actor(request), reason=given["reason"])
        shown = {
            **AccountedTermsOutput(_standing(terms, "announced" if begins > now else "in-force")).data,
            "warnings": plan.warnings,
            "withdrawn": [each.number for each in plan.withdrawn],
        }
        return Response(shown, status=201)


class Funding(APIView):
    """Money of the house into the bank of a table."""

    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": MANAGE}

    @describe(
        "stakes_fund",
        "Put money of the house into the bank of a table (administrators)",
        request=FundingInput,
        response=PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        return _moved(cashier.fund_bank, request, slug)


class Defunding(APIView):
    """What the bank has won, or does not need, back to the house."""

    permission_classes = [MayKeepBooks]
    may: ClassVar = {"POST": MANAGE}

    @describe(
        "stakes_defund",
        "Take money out of the bank of a table, never what it holds for open games (administrators)",
        request=FundingInput,
        response=PostingOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        return _moved(cashier.defund_bank, request, slug)


def _moved(deed: Callable[..., Posting], request: Request, slug: str) -> Response:
    posting = deed(
        stake_table=selectors.stake_table(slug),
        **checked(FundingInput, request),
        key=command_key(request),
        actor=actor(request),
        at=timezone.now(),
    )
    return Response(PostingOutput(posting).data, status=201)


def _standing(terms: StakeTerms, state: str) -> StakeTerms:
    terms.standing = state  # type: ignore[attr-defined]
    return terms
