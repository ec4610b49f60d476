"""REST API of stake tables, which anyone may read and administrators may change, and of buy-ins and pots."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ledger.callers import MayKeepBooks, StaffView, action_view, command_key, own_id, plain_text
from ledger.documents import PostingOutput, posting_document
from ledger.serializers import OwnCurrencyInput, ReasonField
from ledger.splits import WHOLE
from ledger.stakes import pots, tables
from ledger.stakes.actions import MANAGE, ChangeTerms, Defund, Fund, OpenTable, ResettlePot
from ledger.stakes.models import BuyIn, BuyInStatus, Division, Pot, PotStatus, StakeTable, StakeTerms
from ledger.stakes.tables import TermsStatus
from ledger.stakes.terms import MOST, MOST_PLACES, WINNER_TAKES_ALL, Figures, is_split
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, document
from rest.documents import Moment, Uuid, moment, one_of
from rest.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query, whole_number
from rest.schema import describe
from rest.scopes import STAFF, Scope
from staff.actions import perform

WINNER = "winner"


SPLIT: dict[str, Any] = {
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


@extend_schema_field(SPLIT)
class SplitField(serializers.Field[Any, Any, Any, Any]):
    """`"winner"`, or basis points by place, 10,000 together."""

    default_error_messages = {
        "invalid": f'"{WINNER}", or basis points by place, {WHOLE} together, are needed.'
    }

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


class StakeTableInput(OwnCurrencyInput, _FiguresInput):
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


# --- stake tables -----------------------------------------------------------------------------------


AUDIT = "ledger.view_ledger"


class MayManageStakes(MayKeepBooks):
    """Reading is open to everyone; a change needs the permission that the view names."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)


class StakeFigures(TypedDict):
    minimum: int
    maximum: int
    step: int
    default: int
    win_rate: Annotated[str, "the pay table; empty if the game has none"]
    bank_limit: int | None
    rake: Annotated[int, "basis points of a pool of buy-ins"]
    split: Annotated[str | list[int], SPLIT, "winner, or basis points by place"]
    open: bool


def _figures(terms: StakeTerms) -> StakeFigures:
    return {
        "minimum": terms.minimum,
        "maximum": terms.maximum,
        "step": terms.step,
        "default": terms.default,
        "win_rate": terms.win_rate,
        "bank_limit": terms.bank_limit,
        "rake": terms.rake,
        "split": WINNER if tuple(terms.split) == WINNER_TAKES_ALL else terms.split,
        "open": terms.open,
    }


class AnnouncedOutput(StakeFigures):
    number: int
    effective_from: Moment


def _announced(terms: StakeTerms) -> AnnouncedOutput:
    return {**_figures(terms), "number": terms.number, "effective_from": moment(terms.effective_from)}


class StakeTableOutput(StakeFigures):
    """A table with the terms in force and the announced terms."""

    slug: str
    rules: str
    mode: Annotated[str, "such as draw=3; empty: any"]
    currency: str
    terms: Annotated[int, "the number of the terms in force"]
    effective_from: Annotated[Moment, "when they took effect"]
    newest: Annotated[int, "the number of the newest terms, including announced and withdrawn ones"]
    announced: list[AnnouncedOutput]


def stake_table_document(offer: tables.Offer) -> StakeTableOutput:
    terms = offer.in_force
    return {
        **_figures(terms),
        "slug": terms.table.slug,
        "rules": terms.table.rules,
        "mode": terms.table.mode,
        "currency": terms.table.currency,
        "terms": terms.number,
        "effective_from": moment(terms.effective_from),
        "newest": offer.newest,
        "announced": [_announced(each) for each in offer.announced],
    }


class OpenedTableOutput(StakeTableOutput):
    warnings: list[str]


class Stakes(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar = {"POST": MANAGE}
    ordering = ("slug",)

    @describe(
        "stakes",
        "Stake tables with their current and announced terms",
        scope=Scope.READ,
        response=list[StakeTableOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        now = timezone.now()
        return self.page(
            StakeTable.objects.prefetch_related("terms"),
            lambda table: stake_table_document(tables.offer(table, now)),
        )

    @describe(
        "stakes_open",
        "Open a stake table; its name, game, mode, and currency cannot be changed (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=StakeTableInput,
        response=OpenedTableOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        asked = StakeTableInput(data=request.data)
        asked.is_valid(raise_exception=True)
        given, figures = asked.validated_data, Figures(**asked.figures)
        action, key = OpenTable.open(request.user), command_key(request)
        table, _ = perform(action, {**given, "figures": figures}, key=key)
        shown: OpenedTableOutput = {
            **stake_table_document(tables.offer(table, timezone.now())),
            "warnings": tables.warnings(table, figures),
        }
        return Response(shown, status=201, headers={"Location": address_of("stake-table", args=[table.slug])})


class OneStakeTable(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe(
        "stake_table",
        "A stake table with its current and announced terms",
        scope=Scope.READ,
        response=StakeTableOutput,
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        return document(request, stake_table_document(tables.offer(tables.stake_table(slug), timezone.now())))


class Offer(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar[dict[str, str]] = {}

    @describe(
        "stake_offer",
        "The possible results of a stake at a table, and whether the caller can stake it now",
        scope=Scope.READ,
        response=tables.StakeQuoteOutput,
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
        return Response(found)


class StakeTermsOutput(AnnouncedOutput):
    status: TermsStatus


class AccountedTermsOutput(StakeTermsOutput):
    """The terms; with author and reason for staff with access to the ledger."""

    requested_at: NotRequired[Moment]
    actor: NotRequired[str]
    reason: NotRequired[str]


def terms_document(terms: StakeTerms, status: TermsStatus) -> StakeTermsOutput:
    return {**_announced(terms), "status": status}


def accounted_terms_document(terms: StakeTerms, status: TermsStatus) -> AccountedTermsOutput:
    return {
        **terms_document(terms, status),
        "requested_at": moment(terms.asked_at),
        "actor": terms.actor,
        "reason": terms.reason,
    }


class ChangedTermsOutput(AccountedTermsOutput):
    warnings: Annotated[list[str], "risks that the bank cannot cover now"]
    withdrawn: Annotated[list[int], "numbers of announced terms that this change withdraws"]


class Terms(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly, MayManageStakes]
    may: ClassVar = {"POST": MANAGE}
    ordering = ("-number",)

    @describe(
        "stake_terms",
        "All terms of a table, newest first; with authors and reasons for auditors and administrators",
        scope=Scope.READ,
        response=list[AccountedTermsOutput],
    )
    def get(self, request: Request, slug: str) -> Response:
        query(request, *PAGE)
        history = StakeTerms.objects.filter(table=tables.stake_table(slug))
        states = tables.states(history, timezone.now())
        accounted = request.user.has_perm(AUDIT) or request.user.has_perm(MANAGE)
        document = accounted_terms_document if accounted else terms_document
        return self.page(history, lambda terms: document(terms, states[terms.number]))

    @describe(
        "stake_terms_change",
        "Change the terms from now or a later time on, except for games already dealt (administrators)",
        scope=Scope.ADMINISTRATOR,
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
        action, key = ChangeTerms(request.user, table), command_key(request)
        terms, _ = perform(action, {**given, "figures": figures}, key=key)
        shown: ChangedTermsOutput = {
            **accounted_terms_document(terms, "announced" if begins > now else "in-force"),
            "warnings": [*plan.warnings],
            "withdrawn": [each.number for each in plan.withdrawn],
        }
        return Response(shown, status=201)


_bank_transfer = partial(
    action_view, takes=FundingInput, response=PostingOutput, document=posting_document, status=201
)
Funding = _bank_transfer(Fund, "Transfer money of the site into the bank of a table (administrators)")
Defunding = _bank_transfer(
    Defund,
    "Transfer money out of the bank of a table, except what it holds for open games (administrators)",
)


# --- buy-ins and pots -------------------------------------------------------------------------------


MOST_SEATS = 64
BuyInState = Annotated[str, one_of(BuyInStatus)]


class PotRulingInput(StrictSerializer):
    places = StrictListField(
        child=StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST_SEATS),
        max_length=MOST_SEATS,
        allow_null=True,
        help_text="players by place; null refunds every buy-in",
    )
    reason = ReasonField()


class BuyInOutput(TypedDict):
    id: Uuid
    subject: Annotated[str, "such as game:…"]
    amount: Annotated[int, "pence"]
    currency: str
    status: BuyInState
    returned: int | None
    net: int | None
    taken_at: Moment
    ended_at: Moment | None


def buy_in_document(buy_in: BuyIn) -> BuyInOutput:
    return {
        "id": str(buy_in.pk),
        "subject": buy_in.pot.subject,
        "amount": buy_in.amount,
        "currency": buy_in.pot.currency,
        "status": buy_in.status,
        "returned": buy_in.returned,
        "net": buy_in.net,
        "taken_at": moment(buy_in.taken_at),
        "ended_at": moment(buy_in.ended_at),
    }


class PotBuyInOutput(TypedDict):
    player: Uuid
    event: Annotated[int, "version of the seating"]
    amount: int
    status: BuyInState
    returned: int | None
    division: int


def _pot_buy_in(buy_in: BuyIn) -> PotBuyInOutput:
    return {
        "player": str(buy_in.player),
        "event": buy_in.event,
        "amount": buy_in.amount,
        "status": buy_in.status,
        "returned": buy_in.returned,
        "division": buy_in.division,
    }


class DivisionOutput(TypedDict):
    number: int
    void: bool
    places: list[list[Uuid]]
    gross: int
    rake: int
    reason: str
    actor: str
    at: Moment


def _division(division: Division) -> DivisionOutput:
    return {
        "number": division.number,
        "void": division.void,
        "places": division.places,
        "gross": division.gross,
        "rake": division.rake,
        "reason": division.reason,
        "actor": division.actor,
        "at": moment(division.at),
    }


class PotAccountsOutput(TypedDict):
    """Amounts in pence; `rake` and `split` are the terms, in basis points."""

    id: Uuid
    subject: str
    currency: str
    amount: Annotated[int, "of one buy-in"]
    stake_table: str
    rake: int
    split: list[int]
    status: Annotated[str, one_of(PotStatus)]
    opened_at: Moment
    ended_at: Moment | None
    buy_ins: list[PotBuyInOutput]
    divisions: Annotated[list[DivisionOutput], "the last one is in effect"]


def pot_document(pot: Pot) -> PotAccountsOutput:
    return {
        "id": str(pot.pk),
        "subject": pot.subject,
        "currency": pot.currency,
        "amount": pot.amount,
        "stake_table": pot.stake_table.slug,
        "rake": pot.rake,
        "split": pot.split,
        "status": pot.status,
        "opened_at": moment(pot.opened_at),
        "ended_at": moment(pot.ended_at),
        "buy_ins": [_pot_buy_in(buy_in) for buy_in in pot.buy_ins.all()],
        "divisions": [_division(division) for division in pot.divisions.all()],
    }


class BuyIns(PagedView):
    ordering = ("-taken_at", "-pk")

    @describe(
        "buy_ins_list", "The caller's buy-ins, newest first", scope=Scope.WALLET, response=list[BuyInOutput]
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(pots.buy_ins_of(own_id(request)), buy_in_document)


class Pots(StaffView, PagedView):
    ordering = ("-opened_at", "-pk")

    @describe(
        "pots_list",
        "Pots with their buy-ins and divisions, newest first (auditors, administrators)",
        scope=STAFF,
        response=list[PotAccountsOutput],
        parameters=[OpenApiParameter("subject", description="such as game:…")],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "subject", *PAGE)
        found = pots.pots()
        if "subject" in wanted:
            found = found.filter(subject=plain_text(wanted["subject"]))
        return self.page(found, pot_document)


class OnePot(StaffView):
    @describe(
        "pot",
        "A pot with its buy-ins and divisions (auditors, administrators)",
        scope=STAFF,
        response=PotAccountsOutput,
    )
    def get(self, request: Request, pot_id: UUID) -> Response:
        return Response(pot_document(pots.pot(pot_id)))


PotResettlement = action_view(
    ResettlePot,
    "Reverse what a pot paid, after a ruling, and divide it again (administrators)",
    takes=PotRulingInput,
    response=PotAccountsOutput,
    document=lambda made: pot_document(pots.pot(made.pk)),
)
