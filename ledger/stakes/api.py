"""REST API of stake tables, which anyone may read and administrators may change, and of buy-ins and pots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import SAFE_METHODS, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ledger import deposits, services
from ledger.callers import MayKeepBooks, StaffView, actor, command_key, decided, own_id, plain_text
from ledger.core.postings import Posting
from ledger.models import OwnerKind
from ledger.serializers import PostingOutput, ReasonField, _InOwnCurrency
from ledger.splits import WHOLE
from ledger.stakes import pots, tables
from ledger.stakes.models import BuyIn, BuyInStatus, Pot, PotStatus, StakeTable, StakeTerms
from ledger.stakes.terms import MOST, MOST_PLACES, WINNER_TAKES_ALL, Figures, is_split
from rest.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, query, whole_number
from rest.schema import describe

WINNER = "winner"


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": [WINNER]},
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": WHOLE},
                "minItems": 1,
                "maxItems": MOST_PLACES,
            },
        ]
    }
)
class SplitField(serializers.Field[Any, Any, Any, Any]):
    """`"winner"`, or basis points by place, 10,000 together."""

    default_error_messages = {
        "invalid": f'"{WINNER}", or basis points by place, {WHOLE} together, are needed.'
    }

    def to_representation(self, value: Any) -> Any:
        return WINNER if tuple(value) == WINNER_TAKES_ALL else list(value)

    def to_internal_value(self, data: Any) -> tuple[int, ...]:
        if data == WINNER:
            return WINNER_TAKES_ALL
        if not isinstance(data, list) or not is_split(tuple(data)):
            self.fail("invalid")
        return tuple(data)


class StrictMomentField(serializers.DateTimeField):
    """An RFC 3339 moment with its offset from UTC."""

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not (value.endswith(("Z", "z")) or value[-6:-5] in ("+", "-")):
            self.fail("invalid", format="RFC 3339 with an offset, such as 2026-03-01T12:00:00Z")
        return super().to_internal_value(value)


def _asked(required: bool) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    return {
        **{name: PenceField(required=required) for name in ("minimum", "maximum", "step", "default")},
        "win_rate": StrictTextField(max_length=20, required=False, allow_blank=True),
        "bank_limit": PenceField(min=0, required=False, allow_null=True),
        "open": StrictBooleanField(required=False),
        "rake": StrictIntegerField(min=0, max=WHOLE - 1, required=False),
        "split": SplitField(required=False),
    }


class _FiguresInput(StrictSerializer):
    """The figures of a table. Omitted figures stay unchanged."""

    figures_required = False

    def get_fields(self) -> dict[str, Any]:
        return {**_asked(self.figures_required), **super().get_fields()}

    @property
    def figures(self) -> dict[str, Any]:
        """Return the figures that were given."""
        return {name: self.validated_data[name] for name in _asked(False) if name in self.validated_data}


class StakeTableInput(_InOwnCurrency, _FiguresInput):
    """A new table. Defaults: no pay table, the bank's whole balance, open, no rake, winner takes all."""

    figures_required = True
    slug = StrictTextField(max_length=40)
    rules = StrictTextField(max_length=40)
    mode = StrictTextField(max_length=80, required=False, allow_blank=True, default="")
    reason = ReasonField()


class StakeTermsInput(_FiguresInput):
    expected = StrictIntegerField(min=1, max=2**31 - 1, help_text="`newest` as last read")
    effective_from = StrictMomentField(
        required=False, allow_null=True, default=None, help_text="when the terms take effect; null: now"
    )
    reason = ReasonField()


class FundingInput(StrictSerializer):
    amount = PenceField()
    reason = ReasonField()


class FiguresOutput(serializers.Serializer[Any]):
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    step = serializers.IntegerField()
    default = serializers.IntegerField()
    win_rate = serializers.CharField(help_text="the pay table; empty if the game has none")
    bank_limit = serializers.IntegerField(allow_null=True)
    rake = serializers.IntegerField(help_text="basis points of a pool of buy-ins")
    split = SplitField(help_text="winner, or basis points by place")
    open = serializers.BooleanField()


class StakeQuoteOutput(serializers.Serializer[Any]):
    """The possible results of a stake and whether the caller could make it now. Amounts in pence."""

    amount = serializers.IntegerField()
    currency = serializers.CharField()
    pay_per_card = serializers.IntegerField(allow_null=True, help_text="against the bank: the pay per card")
    max_win = serializers.IntegerField(allow_null=True, help_text="against the bank: the pay for all cards")
    break_even_cards = serializers.IntegerField(
        allow_null=True, help_text="against the bank: the number of cards that return the stake"
    )
    pot = serializers.IntegerField(allow_null=True, help_text="among players: the sum of the buy-ins")
    rake = serializers.IntegerField(allow_null=True, help_text="the site's share of the pot")
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="the award of each place if none is shared"
    )
    balance_after = serializers.IntegerField(
        allow_null=True, help_text="the caller's balance after the stake; null: insufficient"
    )
    obstacle = serializers.DictField(
        allow_null=True, help_text="the problem document with which the stake would be refused now"
    )


class AnnouncedOutput(FiguresOutput):
    number = serializers.IntegerField()
    effective_from = serializers.DateTimeField()


class StakeTableOutput(FiguresOutput):
    """A table with the terms in force and the announced terms."""

    slug = serializers.CharField(source="table.slug")
    rules = serializers.CharField(source="table.rules")
    mode = serializers.CharField(source="table.mode", help_text="such as draw=3; empty: any")
    currency = serializers.CharField(source="table.currency")
    terms = serializers.IntegerField(source="number", help_text="the number of the terms in force")
    effective_from = serializers.DateTimeField(help_text="when they took effect")
    newest = serializers.IntegerField(
        help_text="the number of the newest terms, including announced and withdrawn ones"
    )
    announced = AnnouncedOutput(many=True)


class StakeTermsOutput(AnnouncedOutput):
    status = serializers.ChoiceField(choices=["in-force", "announced", "past", "withdrawn"])


class AccountedTermsOutput(StakeTermsOutput):
    """The fields that staff with access to the ledger see too."""

    requested_at = serializers.DateTimeField(source="asked_at")
    actor = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class ChangedTermsOutput(AccountedTermsOutput):
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="risks that the bank cannot cover now"
    )
    withdrawn = serializers.ListField(
        child=serializers.IntegerField(), help_text="numbers of announced terms that this change withdraws"
    )


class OpenedTableOutput(StakeTableOutput):
    warnings = serializers.ListField(child=serializers.CharField())


# --- stake tables -----------------------------------------------------------------------------------


MANAGE = "ledger.manage_stakes"
AUDIT = "ledger.view_ledger"


class MayManageStakes(MayKeepBooks):
    """Reading is open to everyone; a change needs the permission that the view names."""

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
        "Stake tables with their current and announced terms",
        response=StakeTableOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        now = timezone.now()
        page = self.paginate_queryset(self.get_queryset()) or []
        offers = [tables.offer(table, now) for table in page]
        return self.get_paginated_response(StakeTableOutput(offers, many=True).data)

    @describe(
        "stakes_open",
        "Open a stake table; its name, game, mode, and currency cannot be changed (administrators)",
        request=StakeTableInput,
        response=OpenedTableOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        asked = StakeTableInput(data=request.data)
        asked.is_valid(raise_exception=True)
        given, figures, now = asked.validated_data, Figures(**asked.figures), timezone.now()
        table = tables.open_table(
            slug=given["slug"],
            rules=given["rules"],
            mode=given["mode"],
            currency=given.get("currency", settings.RACECARD_CURRENCY),
            figures=figures,
            actor=actor(request),
            reason=given["reason"],
            at=now,
        )
        shown = {
            **StakeTableOutput(tables.offer(table, now)).data,
            "warnings": tables.warnings(table, figures),
        }
        return Response(shown, status=201, headers={"Location": address_of("stake-table", args=[table.slug])})


class OneStakeTable(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe("stake_table", "A stake table with its current and announced terms", response=StakeTableOutput)
    def get(self, request: Request, slug: str) -> Response:
        return Response(StakeTableOutput(tables.offer(tables.stake_table(slug), timezone.now())).data)


class Offer(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe(
        "stake_offer",
        "The possible results of a stake at a table, and whether the caller can stake it now",
        response=StakeQuoteOutput,
        parameters=[
            OpenApiParameter("amount", int, required=True, description="the stake or buy-in in pence"),
            OpenApiParameter("seats", int, description="among players: the number of buy-ins; default 2"),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        asked = query(request, "amount", "seats")
        found = tables.stake_quote(
            tables.stake_table(slug),
            amount=whole_number(asked.get("amount", ""), "amount", least=1, most=MOST),
            seats=whole_number(asked.get("seats", "2"), "seats", least=1, most=MOST_PLACES),
            player=own_id(request) if request.user.is_authenticated else None,
            at=timezone.now(),
        )
        return Response(StakeQuoteOutput(found).data)


class Terms(ListAPIView[StakeTerms]):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar = {"POST": MANAGE}
    ordering = ("-number",)
    serializer_class = StakeTermsOutput

    def get_queryset(self) -> QuerySet[StakeTerms]:
        return StakeTerms.objects.filter(table=tables.stake_table(self.kwargs["slug"]))

    @describe(
        "stake_terms",
        "All terms of a table, newest first; with authors and reasons for auditors and administrators",
        response=AccountedTermsOutput(many=True),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        history = self.get_queryset()
        states = tables.states(history, timezone.now())
        page = self.paginate_queryset(history) or []
        for terms in page:
            terms.status = states[terms.number]  # type: ignore[attr-defined]
        accounted = request.user.has_perm(AUDIT) or request.user.has_perm(MANAGE)
        shown = AccountedTermsOutput if accounted else StakeTermsOutput
        return self.get_paginated_response(shown(page, many=True).data)

    @describe(
        "stake_terms_change",
        "Change the terms from now or a later time on, except for games already dealt (administrators)",
        request=StakeTermsInput,
        response=ChangedTermsOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        asked = StakeTermsInput(data=request.data)
        asked.is_valid(raise_exception=True)
        table, given, now = tables.stake_table(slug), asked.validated_data, timezone.now()
        begins = given["effective_from"] or now
        figures = replace(tables.terms_at(table, max(begins, now)).figures, **asked.figures)
        wanted: dict[str, Any] = {
            "table": table,
            "figures": figures,
            "expected": given["expected"],
            "effective_from": given["effective_from"],
            "at": now,
        }
        plan = tables.planned(**wanted)
        terms = tables.change_terms(**wanted, actor=actor(request), reason=given["reason"])
        shown = {
            **AccountedTermsOutput(_with_status(terms, "announced" if begins > now else "in-force")).data,
            "warnings": plan.warnings,
            "withdrawn": [each.number for each in plan.withdrawn],
        }
        return Response(shown, status=201)


def _bank_transfer(operation: str, summary: str, command: Callable[..., Posting]) -> type[APIView]:
    """Return the view of a transfer between the site and the bank of a table."""

    class BankTransfer(StaffView):
        may: ClassVar = {"POST": MANAGE}

        @describe(operation, summary, request=FundingInput, response=PostingOutput, status=201)
        @idempotent
        def post(self, request: Request, slug: str) -> Response:
            posting = command(
                stake_table=tables.stake_table(slug),
                **checked(FundingInput, request),
                key=command_key(request),
                **decided(request),
            )
            return Response(PostingOutput(posting).data, status=201)

    return BankTransfer


Funding = _bank_transfer(
    "stakes_fund",
    "Transfer money of the site into the bank of a table (administrators)",
    deposits.fund_bank,
)
Defunding = _bank_transfer(
    "stakes_defund",
    "Transfer money out of the bank of a table, except what it holds for open games (administrators)",
    deposits.defund_bank,
)


def _with_status(terms: StakeTerms, state: str) -> StakeTerms:
    terms.status = state  # type: ignore[attr-defined]
    return terms


# --- buy-ins and pots -------------------------------------------------------------------------------


MOST_SEATS = 64


class PotRulingInput(StrictSerializer):
    places = StrictListField(
        child=StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST_SEATS),
        max_length=MOST_SEATS,
        allow_null=True,
        help_text="players by place; null refunds every buy-in",
    )
    reason = ReasonField()


class BuyInOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject = serializers.CharField(source="pot.subject", help_text="such as game:…")
    amount = serializers.IntegerField(help_text="pence")
    currency = serializers.CharField(source="pot.currency")
    status = serializers.ChoiceField(choices=BuyInStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    net = serializers.IntegerField(allow_null=True)
    taken_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PotBuyInOutput(serializers.Serializer[Any]):
    player = serializers.UUIDField()
    event = serializers.IntegerField(help_text="version of the seating")
    amount = serializers.IntegerField()
    status = serializers.ChoiceField(choices=BuyInStatus.choices)
    returned = serializers.IntegerField(allow_null=True)
    division = serializers.IntegerField()


class DivisionOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    void = serializers.BooleanField()
    places = serializers.ListField(child=serializers.ListField(child=serializers.UUIDField()))
    gross = serializers.IntegerField()
    rake = serializers.IntegerField()
    reason = serializers.CharField()
    actor = serializers.CharField()
    at = serializers.DateTimeField()


class PotAccountsOutput(serializers.Serializer[Any]):
    """Amounts in pence; `rake` and `split` are the terms, in basis points."""

    id = serializers.UUIDField()
    subject = serializers.CharField()
    currency = serializers.CharField()
    amount = serializers.IntegerField(help_text="of one buy-in")
    stake_table = serializers.CharField(source="stake_table.slug")
    rake = serializers.IntegerField()
    split = serializers.ListField(child=serializers.IntegerField())
    status = serializers.ChoiceField(choices=PotStatus.choices)
    opened_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    buy_ins = PotBuyInOutput(many=True)
    divisions = DivisionOutput(many=True, help_text="the last one is in effect")


class BuyIns(ListAPIView[BuyIn]):
    serializer_class = BuyInOutput
    ordering = ("-taken_at", "-pk")

    def get_queryset(self) -> QuerySet[BuyIn]:
        return pots.buy_ins_of(own_id(self.request))

    @describe("buy_ins_list", "The caller's buy-ins, newest first", response=BuyInOutput(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        query(request, *PAGE)
        return self.list(request, *args, **kwargs)


class Pots(StaffView, ListAPIView[Pot]):
    serializer_class = PotAccountsOutput
    ordering = ("-opened_at", "-pk")

    def get_queryset(self) -> QuerySet[Pot]:
        wanted = query(self.request, "subject", *PAGE)
        found = pots.pots()
        return found.filter(subject=plain_text(wanted["subject"])) if "subject" in wanted else found

    @describe(
        "pots_list",
        "Pots with their buy-ins and divisions, newest first (auditors, administrators)",
        response=PotAccountsOutput(many=True),
        parameters=[OpenApiParameter("subject", description="such as game:…")],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class OnePot(StaffView):
    @describe(
        "pot",
        "A pot with its buy-ins and divisions (auditors, administrators)",
        response=PotAccountsOutput,
    )
    def get(self, request: Request, pot_id: UUID) -> Response:
        return Response(_shown(pot_id))


class ResettlePot(StaffView):
    may: ClassVar = {"POST": "ledger.rule_pot"}

    @describe(
        "pot_resettle",
        "Reverse what a pot paid, after a ruling, and divide it again (administrators)",
        request=PotRulingInput,
        response=PotAccountsOutput,
    )
    @idempotent
    def post(self, request: Request, pot_id: UUID) -> Response:
        given, me = checked(PotRulingInput, request), own_id(request)
        pot = pots.pot(pot_id)
        services.resettle_pot(
            subject=pot.subject, actor=f"{OwnerKind.PLAYER}:{me}", at=timezone.now(), **given
        )
        return Response(_shown(pot_id))


def _shown(pot_id: UUID) -> Any:
    return PotAccountsOutput(pots.pot(pot_id)).data
