"""REST API of payouts, for players and for administrators who decide about them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypedDict
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse as address_of
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger import services
from ledger.callers import StaffView, action_view, command_key, own_id, plain_text
from ledger.core.models import player_owner
from ledger.core.selectors import BalanceOutput
from ledger.documents import TransferOutput, transfer_document
from ledger.payouts import actions, selectors
from ledger.payouts.batches import MOST, checksum_of, file_checksum, file_of
from ledger.payouts.models import (
    DESTINATION_LENGTH,
    Freeze,
    Payout,
    PayoutBatch,
    PayoutKind,
    PayoutState,
    PayoutStep,
    is_cancellable,
)
from ledger.payouts.selectors import Counted
from ledger.serializers import OwnCurrencyInput, ReasonField
from rest.content import JSONRenderer
from rest.documents import Moment, Uuid, moment, one_of, uuid_text
from rest.fields import (
    PenceField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import STAFF, Scope
from staff.actions import perform

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class WithdrawalInput(OwnCurrencyInput):
    amount = PenceField()
    destination = StrictTextField(
        max_length=DESTINATION_LENGTH, trim_whitespace=True, help_text="where the money is sent, in one line"
    )


class ApprovalInput(StrictSerializer):
    amount = PenceField(
        required=False, help_text="the approved amount; refused if the payout has another amount"
    )
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class DecisionInput(StrictSerializer):
    reason = ReasonField()


class PaymentInput(StrictSerializer):
    reason = StrictTextField(min_length=3, max_length=200, trim_whitespace=True, required=False)


class BatchInput(OwnCurrencyInput):
    """The named withdrawals, or the oldest approved ones; `up_to` excludes larger ones."""

    payouts = StrictListField(child=StrictUUIDField(), min_length=1, max_length=MOST, required=False)
    up_to = PenceField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "payouts" in attrs and "up_to" in attrs:
            raise InvalidInput("Give either payouts or up_to.")
        return attrs


class BatchPaymentInput(StrictSerializer):
    checksum = StrictTextField(max_length=64, help_text="of the file that the bank has executed")


class FreezeInput(StrictSerializer):
    subject = StrictTextField(min_length=3, max_length=80, help_text="such as game:…")
    player = StrictUUIDField(
        required=False, help_text="freeze only the money of this player; default: of all players"
    )
    reason = ReasonField()


State = Annotated[str, one_of(PayoutState)]


# --- a player's own ----------------------------------------------------------------------------------


class WithdrawalOutput(TypedDict):
    id: Uuid
    reference: Annotated[str, "the reference shown by the bank and on the statement"]
    amount: int
    currency: str
    destination: str
    state: State
    requested_at: Moment
    reason: Annotated[str | None, "the reason of a rejection"]
    cancellable: Annotated[bool, "whether the player can cancel it now"]


def withdrawal_document(payout: Payout) -> WithdrawalOutput:
    rejected = payout.state == PayoutState.REJECTED
    return {
        "id": str(payout.pk),
        "reference": payout.reference,
        "amount": payout.amount,
        "currency": payout.currency,
        "destination": payout.destination,
        "state": payout.state,
        "requested_at": moment(payout.requested_at),
        "reason": payout.steps.get(number=payout.version).reason if rejected else None,
        "cancellable": is_cancellable(payout.state),
    }


class Withdrawals(PagedView):
    ordering = ("-requested_at", "-pk")

    @describe(
        "withdrawals_list",
        "The caller's withdrawals, newest first",
        scope=Scope.WALLET,
        response=list[WithdrawalOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(selectors.withdrawals_of(own_id(request)), withdrawal_document)

    @describe(
        "withdrawals_create",
        "Request a payout; the money is held at once",
        scope=Scope.WALLET,
        request=WithdrawalInput,
        response=WithdrawalOutput,
        status=201,
        sensitive=True,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(WithdrawalInput, request)
        payout = services.request_withdrawal(
            player=own_id(request),
            amount=given["amount"],
            currency=settings.RACECARD_CURRENCY,
            destination=given["destination"],
            key=command_key(request),
            at=timezone.now(),
        )
        return Response(
            withdrawal_document(payout),
            status=201,
            headers={"Location": address_of("withdrawal", args=[payout.pk])},
        )


class OneWithdrawal(APIView):
    @describe("withdrawal", "A withdrawal of the caller", scope=Scope.WALLET, response=WithdrawalOutput)
    def get(self, request: Request, payout_id: UUID) -> Response:
        found = selectors.withdrawal(player=own_id(request), id=payout_id)
        return Response(withdrawal_document(found))


class CancelWithdrawal(APIView):
    @describe(
        "withdrawal_cancel",
        "Cancel an undecided withdrawal",
        scope=Scope.WALLET,
        request=StrictSerializer,
        response=WithdrawalOutput,
    )
    @idempotent
    def post(self, request: Request, payout_id: UUID) -> Response:
        checked(StrictSerializer, request)
        cancelled = services.cancel_withdrawal(payout=payout_id, player=own_id(request), at=timezone.now())
        return Response(withdrawal_document(cancelled))


# --- the queue ---------------------------------------------------------------------------------------


class PayoutOutput(TypedDict):
    id: Uuid
    reference: str
    kind: Annotated[str, one_of(PayoutKind)]
    player: Uuid
    amount: int
    currency: str
    destination: str
    subject: Annotated[str, "the subject of a prize"]
    state: State
    version: Annotated[int, "number of its newest step"]
    two_persons: Annotated[bool, "whether two persons must approve it"]
    batch: Uuid | None
    reinstates: Annotated[Uuid | None, "the rejected prize that it pays again"]
    requested_by: str
    requested_at: Moment


def payout_document(payout: Payout) -> PayoutOutput:
    return {
        "id": str(payout.pk),
        "reference": payout.reference,
        "kind": payout.kind,
        "player": str(payout.player),
        "amount": payout.amount,
        "currency": payout.currency,
        "destination": payout.destination,
        "subject": payout.subject,
        "state": payout.state,
        "version": payout.version,
        "two_persons": payout.two_persons,
        "batch": uuid_text(payout.batch_id),
        "reinstates": uuid_text(payout.origin_id),
        "requested_by": payout.requested_by,
        "requested_at": moment(payout.requested_at),
    }


class StepOutput(TypedDict):
    number: int
    was: str
    becomes: State
    amount: int
    actor: str
    at: Moment
    reason: str
    batch: Uuid | None
    freeze: Uuid | None


def _step(step: PayoutStep) -> StepOutput:
    return {
        "number": step.number,
        "was": step.was,
        "becomes": step.becomes,
        "amount": step.amount,
        "actor": step.actor,
        "at": moment(step.at),
        "reason": step.reason,
        "batch": uuid_text(step.batch_id),
        "freeze": uuid_text(step.freeze_id),
    }


class PayoutDetailOutput(PayoutOutput):
    history: list[StepOutput]
    balances: Annotated[dict[str, BalanceOutput], "the player's balances by purpose"]
    sources: Annotated[list[TransferOutput], "the newest transfers to the player"]


def payout_detail_document(payout: Payout) -> PayoutDetailOutput:
    return {
        **payout_document(payout),
        "history": [_step(step) for step in payout.steps.all()],
        "balances": selectors.balances(payout),
        "sources": [transfer_document(transfer) for transfer in selectors.sources(payout)],
    }


class Payouts(StaffView, PagedView):
    ordering = ("-requested_at", "-pk")

    @describe(
        "payouts_list",
        "All payouts, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[PayoutOutput],
        parameters=[
            OpenApiParameter("state", enum=PayoutState.values),
            OpenApiParameter("kind", enum=PayoutKind.values),
            OpenApiParameter("player", OpenApiTypes.UUID),
            OpenApiParameter("currency"),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "state", "kind", "player", "currency", *PAGE)
        found = selectors.payouts()
        for name, known in (("state", PayoutState.values), ("kind", PayoutKind.values)):
            if name in wanted:
                if wanted[name] not in known:
                    raise InvalidInput(f"{name}: one of {', '.join(known)} is needed.")
                found = found.filter(**{name: wanted[name]})
        if "player" in wanted:
            found = found.filter(payee=player_owner(_id(wanted["player"])))
        if "currency" in wanted:
            found = found.filter(currency=plain_text(wanted["currency"]))
        return self.page(found, payout_document)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("player: an id is needed.") from None


class OnePayout(StaffView):
    @describe(
        "payout",
        "A payout with its history, the player's money, and its sources (administrators, auditors)",
        scope=STAFF,
        response=PayoutDetailOutput,
    )
    def get(self, request: Request, payout_id: UUID) -> Response:
        return Response(_shown(payout_id))


def _shown(payout_id: UUID) -> PayoutDetailOutput:
    return payout_detail_document(selectors.payout(payout_id))


_decision = partial(action_view, response=PayoutDetailOutput, document=lambda made: _shown(made.pk))
ApprovePayout = _decision(
    actions.Approve, "Approve a payout; a prize is paid at once (administrators)", takes=ApprovalInput
)
HoldPayout = _decision(
    actions.Hold, "Hold a payout; it leaves its batch (administrators)", takes=DecisionInput
)
ReleasePayout = _decision(
    actions.Release,
    "Release a payout from hold; it must be approved again (administrators)",
    takes=DecisionInput,
)
RejectPayout = _decision(
    actions.Reject,
    "Reject a payout; the money of a withdrawal is released, a prize goes to the site (administrators)",
    takes=DecisionInput,
)
PayPayout = _decision(
    actions.Pay, "Record that an approved payout was paid (administrators)", takes=PaymentInput
)
ReinstatePayout = _decision(
    actions.Reinstate,
    "Reinstate a rejected prize as a new payout that waits for approval (administrators)",
    takes=DecisionInput,
    status=201,
    address="payout",
)


# --- batches -----------------------------------------------------------------------------------------


class BatchOutput(TypedDict):
    id: Uuid
    currency: str
    count: int
    amount: int
    made_by: str
    made_at: Moment
    paid_by: str
    paid_at: Moment | None
    posting: Uuid | None


def batch_document(batch: WithAnnotations[PayoutBatch, Counted]) -> BatchOutput:
    return {
        "id": str(batch.pk),
        "currency": batch.currency,
        "count": batch.count,
        "amount": batch.amount,
        "made_by": batch.made_by,
        "made_at": moment(batch.made_at),
        "paid_by": batch.paid_by,
        "paid_at": moment(batch.paid_at),
        "posting": uuid_text(batch.posting),
    }


class BatchDetailOutput(BatchOutput):
    checksum: Annotated[str, "SHA-256 of the current file, or of the file that was paid"]
    payouts: list[PayoutOutput]


def batch_detail_document(batch: WithAnnotations[PayoutBatch, Counted]) -> BatchDetailOutput:
    return {
        **batch_document(batch),
        "checksum": file_checksum(batch),
        "payouts": [payout_document(payout) for payout in batch.payouts.all()],
    }


class Batches(StaffView, PagedView):
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": actions.MakeBatch.permission}
    ordering = ("-made_at", "-pk")

    @describe(
        "payout_batches_list",
        "Batches of payouts, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[BatchOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(selectors.batches(), batch_document)

    @describe(
        "payout_batches_create",
        "Collect approved withdrawals for the bank: the named or the oldest ones (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=BatchInput,
        response=BatchDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(BatchInput, request)
        made, _ = perform(actions.MakeBatch.open(request.user), given, key=command_key(request))
        return Response(
            _shown_batch(made.pk),
            status=201,
            headers={"Location": address_of("payout-batch", args=[made.pk])},
        )


class OneBatch(StaffView):
    @describe(
        "payout_batch",
        "A batch with its payouts (administrators, auditors)",
        scope=STAFF,
        response=BatchDetailOutput,
    )
    def get(self, request: Request, batch_id: UUID) -> Response:
        return Response(_shown_batch(batch_id))


class CSVRenderer(JSONRenderer):
    """Accepts requests for CSV. Errors are JSON."""

    media_type = "text/csv"
    format = "csv"


class BatchFile(StaffView):
    may: ClassVar = {"GET": "ledger.pay_payout"}
    renderer_classes = [CSVRenderer, JSONRenderer]

    @describe(
        "payout_batch_csv",
        "The file of a batch for the bank (administrators)",
        scope=Scope.ADMINISTRATOR,
        response=OpenApiTypes.STR,
    )
    def get(self, request: Request, batch_id: UUID) -> HttpResponse:
        batch = selectors.batch(batch_id)
        return bank_file_response(batch)


def bank_file_response(batch: PayoutBatch) -> HttpResponse:
    """Return the file as a download with its checksum, by which it is paid."""
    file = file_of(batch)
    return HttpResponse(
        file.encode(),
        content_type="text/csv; charset=utf-8; header=present",
        headers={
            "Content-Disposition": f'attachment; filename="payouts-{batch.pk}.csv"',
            "Cache-Control": "no-store",
            "Racecard-Checksum": checksum_of(file),
        },
    )


def _shown_batch(batch_id: UUID) -> BatchDetailOutput:
    return batch_detail_document(selectors.batch(batch_id))


PayBatch = action_view(
    actions.PayBatch,
    "Record that the bank has paid a whole batch (administrators)",
    takes=BatchPaymentInput,
    response=BatchDetailOutput,
    document=lambda made: _shown_batch(made.pk),
)


# --- freezes -----------------------------------------------------------------------------------------


class FrozenOutput(TypedDict):
    account: str
    currency: str
    amount: int
    state: str


class FreezeOutput(TypedDict):
    id: Uuid
    subject: str
    player: Uuid | None
    reason: str
    actor: str
    at: Moment
    released_by: str
    released_at: Moment | None
    released_reason: str
    money: list[FrozenOutput]
    payouts: Annotated[list[Uuid], "the payouts that it put on hold"]


def freeze_document(freeze: Freeze) -> FreezeOutput:
    return {
        "id": str(freeze.pk),
        "subject": freeze.subject,
        "player": uuid_text(freeze.player),
        "reason": freeze.reason,
        "actor": freeze.actor,
        "at": moment(freeze.at),
        "released_by": freeze.released_by,
        "released_at": moment(freeze.released_at),
        "released_reason": freeze.released_reason,
        "money": [
            {
                "account": frozen.hold.account.text,
                "currency": frozen.hold.account.currency,
                "amount": frozen.hold.amount,
                "state": frozen.hold.state,
            }
            for frozen in freeze.money.all()
        ],
        "payouts": sorted({str(step.payout_id) for step in freeze.steps.all()}),
    }


class Freezes(StaffView, PagedView):
    may: ClassVar = {"GET": "ledger.view_ledger", "POST": actions.FreezeMoney.permission}
    ordering = ("-at", "-pk")

    @describe(
        "freezes_list",
        "Freezes, newest first (administrators, auditors)",
        scope=STAFF,
        response=list[FreezeOutput],
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        return self.page(selectors.freezes(), freeze_document)

    @describe(
        "freezes_create",
        "Freeze the payments of a subject, as far as the players still have the money (administrators, auditors)",
        scope=STAFF,
        request=FreezeInput,
        response=FreezeOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(FreezeInput, request)
        made, _ = perform(actions.FreezeMoney.open(request.user), given, key=command_key(request))
        return Response(freeze_document(selectors.freeze(made.pk)), status=201)


ReleaseFreeze = action_view(
    actions.ReleaseFreeze,
    "Release a freeze (administrators, auditors)",
    scope=STAFF,
    takes=DecisionInput,
    response=FreezeOutput,
    document=lambda made: freeze_document(selectors.freeze(made.pk)),
)
