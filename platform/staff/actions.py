"""Staff actions: declared once, with their form, preview, permission, effect, and log entry.

`staff.admin` serves the page of an action. The REST endpoint of the same action calls `perform`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, Self, TypeVar
from uuid import UUID

import structlog
from django import forms
from django.db import IntegrityError, models, transaction
from django.urls import reverse
from django.utils import timezone

from core.errors import Forbidden, NotFound
from staff.models import ActionRecord

log = structlog.get_logger(__name__)

FormData = dict[str, Any]
"""The cleaned data of an action's form."""


@dataclass(frozen=True, slots=True)
class Movement:
    """A transfer in a preview, from one person or part of the site to another.

    note       its purpose, or anything unusual about it
    technical  the accounts, for the technical details
    """

    debit: str
    credit: str
    amount: str
    note: str = ""
    technical: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A value before and after the action, such as the balance of a person."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of an action before it is performed.

    movements  the transfers that it will make
    facts      labels and values
    warnings   reasons to reconsider
    hidden     values for hidden fields of the form, such as a token of the previewed state
    changes    values before and after
    technical  labels and ids for the technical details, besides the accounts of the movements
    of_reason  the label of the reason that was entered
    """

    movements: Sequence[Movement] = ()
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = field(default=())
    hidden: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[Change] = ()
    technical: Sequence[tuple[str, str]] = ()
    of_reason: str = "Reason"

    @property
    def has_technical(self) -> bool:
        return bool(self.technical) or any(movement.technical for movement in self.movements)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a performed action.

    message    a sentence shown on the page from which the action was opened, or else on `return_to`
    subject    the object of the action, such as `player:…`
    result     the object that the action created, such as `transfer:12`, if it is not the subject
    links      the text and address of each object that the message mentions and `return_to` does not show
    details    further data for the log
    """

    message: str
    subject: str
    return_to: str
    result: str = ""
    links: Sequence[tuple[str, str]] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class ActionForm(forms.Form):
    """The form of an action that affects neither people nor money, and therefore needs no reason."""

    # The idempotency key: a form that is sent twice takes effect once.
    key = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})


SHORT_REASON = {"required": "Write a reason.", "min_length": "Write at least 3 characters."}


class ReasonForm(ActionForm):
    reason = forms.CharField(
        min_length=3,
        max_length=200,
        error_messages=SHORT_REASON,
        help_text="Stored permanently with this action and visible to auditors.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def order_fields(self, field_order: Iterable[str] | None) -> None:
        """Order the fields, with the reason last unless the form gives it another place."""
        named = None if field_order is None else list(field_order)
        super().order_fields(named)
        if "reason" in self.fields and "reason" not in (named or ()):
            self.fields["reason"] = self.fields.pop("reason")


# --- the action ---------------------------------------------------------------------------------------


Row = TypeVar("Row")


_other_names: dict[str, str] = {}


def register_name(name: str, label: str) -> str:
    """Declare a name of the log that no staff action has, such as that of an export, and return it."""
    _other_names[name] = label
    return name


def declared() -> Iterator[type[StaffAction[Any]]]:
    """Every class of actions, abstract ones included."""
    classes = list(StaffAction.__subclasses__())
    while classes:
        each = classes.pop()
        classes += each.__subclasses__()
        yield each


def names() -> list[tuple[str, str]]:
    """Return every name of the log with its label, without repetition."""
    actions = {each.name: each.label for each in declared() if hasattr(each, "name")}
    return sorted({**_other_names, **actions}.items())


def sensitive_operations() -> frozenset[str]:
    """Return the REST operations of sensitive actions."""
    return frozenset(one for each in declared() if each.is_sensitive for one in each.operations)


class StaffAction(Generic[Row]):
    """An action of one person on one row, or on none. Its page, its links, its REST endpoint, and its log entry
    follow from the declaration.
    """

    name: ClassVar[str]
    """The name in the log of staff actions."""
    label: ClassVar[str]
    """The text of its link and of its confirming button."""
    page: ClassVar[str]
    """The name of its address on the staff site."""
    route: ClassVar[str]
    """Its address below the list of its model; it contains `pk` if the action is on a row."""
    permission: ClassVar[str] = ""
    """The permission that its page and its endpoint require. Empty: `find` decides by the row."""
    operations: ClassVar[Sequence[str]] = ()
    """The REST operations that perform it."""
    form: ClassVar[type[ActionForm]] = ReasonForm
    is_sensitive: ClassVar[bool] = False
    """Whether a session must have confirmed its identity recently, as for money and roles."""
    is_final: ClassVar[bool] = False
    """Whether it cannot be undone."""
    is_one_step: ClassVar[bool] = False
    """Whether the preview is shown with the form: it asks for nothing but a reason, and its preview is cheap."""
    shows_result: ClassVar[bool] = False
    """Whether the browser goes to the page of what the action made, and not back to where it came from."""
    template: ClassVar[str] = "staff/action.html"

    def __init__(self, actor: Any, row: Row) -> None:
        self.actor = actor
        self.row = row

    @classmethod
    def open(cls, actor: Any, pk: Any = None, **more: Any) -> Self:
        """Return the action for an address. Raises NotFound, Forbidden."""
        if not cls.may(actor):
            raise Forbidden
        action = cls(actor, cls.find(actor, pk))
        action.locate(**more)
        return action

    @classmethod
    def may(cls, actor: Any) -> bool:
        return not cls.permission or bool(actor.has_perm(cls.permission))

    @classmethod
    def find(cls, actor: Any, pk: Any) -> Any:
        """Return the row. Raises NotFound, Forbidden. The default is for actions without a row."""
        if pk is not None:
            raise NotFound

    def locate(self, *none: Any, **parts: Any) -> None:
        """Take the parts of the address other than `pk`. Raises NotFound."""

    @property
    def title(self) -> str:
        return self.label

    @property
    def button(self) -> str:
        return self.label

    @property
    def lead(self) -> str:
        """A sentence about the effects, above the form."""
        return ""

    @property
    def back(self) -> str:
        """The address to return to: by default the page of the row. Empty: the list."""
        return change_page(self.row) if isinstance(self.row, models.Model) else ""

    def form_class(self) -> type[ActionForm]:
        return self.form

    def initial(self, query: Mapping[str, str]) -> FormData:
        """Return initial values of the form; `query` is the query string."""
        return {}

    def permits(self) -> bool:
        """Return whether the person may perform it on the row, apart from `permission`."""
        return True

    def unavailable(self) -> str:
        """Return why it cannot be performed now, or an empty text."""
        return ""

    def preview(self, data: FormData) -> Preview:
        """Return the effects without a change. Raises what `carry_out` raises."""
        raise NotImplementedError

    def carry_out(self, data: FormData, key: str, now: datetime) -> Any:
        """Perform the action. `key` stays the same if the form or request is sent again."""
        raise NotImplementedError

    def done(self, made: Any) -> Done:
        """Describe what `carry_out` returned."""
        raise NotImplementedError


class AlreadyDone(Exception):
    """The action with this key has been performed, or nothing is left for it to do."""


def perform(action: StaffAction[Any], data: FormData, *, key: str) -> tuple[Any, Done]:
    """Perform and record an action in one transaction. Return what it made, and its description.

    Raises AlreadyDone, and the refusals of the action.
    """
    recorded_as = f"{action.name}:{key}"
    with transaction.atomic():
        if ActionRecord.objects.filter(key=recorded_as).exists():
            raise AlreadyDone
        made = action.carry_out(data, key, now := timezone.now())
        done = action.done(made)
        try:
            with transaction.atomic():
                record_action(
                    actor=action.actor,
                    action=action.name,
                    at=now,
                    subject=done.subject,
                    reason=data.get("reason", ""),
                    made=done.result,
                    details=done.details,
                    key=recorded_as,
                )
        except IntegrityError:  # another request was first
            raise AlreadyDone from None
    return made, done


def resource_key(action: StaffAction[Any], subject: str, data: FormData) -> str:
    """Return the key of an action that a PUT or DELETE performs, which carries no Idempotency-Key.

    Such a request names the state that a resource shall have, so sending it again is safe only if the action refuses
    it, or raises AlreadyDone, once the resource has that state. The key covers the case in which both requests see the
    state before. It is made of the data and of the version of the subject, which is the newest action recorded about
    it: equal requests at one version have one key and take effect once, and the same change may be made again after
    another one.
    """
    newest = ActionRecord.objects.filter(subject=subject).order_by("-id").values_list("pk", flat=True).first()
    named = json.dumps([type(action).page, subject, newest, data], sort_keys=True, default=str)
    return f"resource:{hashlib.sha256(named.encode()).hexdigest()}"


def record_action(
    *,
    actor: Any,
    action: str,
    at: datetime,
    subject: str = "",
    reason: str = "",
    made: str = "",
    details: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> ActionRecord:
    """Record an action of staff in the transaction of the action. Without an actor, the command line performed it."""
    who = UUID(int=0) if actor is None else actor.pk
    made_record = ActionRecord.objects.create(
        at=at,
        actor=who,
        action=action,
        subject=subject,
        reason=reason,
        made=made,
        details=dict(details or {}),
        key=key,
    )
    log.info("staff_action", actor=str(who), action=action, subject=subject, reason=reason)
    return made_record


# --- addresses and links --------------------------------------------------------------------------------------------


def change_page(row: models.Model) -> str:
    """Return the address of the admin page of a row."""
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk])


@dataclass(frozen=True, slots=True)
class ActionLink:
    """A link to an action. `why_not` says why the user cannot perform it now; empty if it is available."""

    label: str
    url: str
    why_not: str = ""
    is_final: bool = False


def links(actions: Iterable[type[StaffAction[Any]]], actor: Any, row: Any = None) -> list[ActionLink]:
    """Return the links to the actions on a row, or to those without one, that the actor may perform."""
    args = [] if row is None else [row.pk]
    permitted = (each(actor, row) for each in actions if each.may(actor))
    return [
        ActionLink(each.label, reverse(f"admin:{each.page}", args=args), each.unavailable(), each.is_final)
        for each in permitted
        if each.permits()
    ]
