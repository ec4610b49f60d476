"""REST of the caller's notifications, preferences, and personal webhook."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.utils import timezone, translation
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import RegexField, ValidationError
from rest_framework.views import APIView

from notifications import kinds, preferences, services
from notifications.kinds import LANGUAGES, Channel
from notifications.models import Digest, Notification
from notifications.preferences import Reach
from rest.documents import Moment, Object, Uuid, moment, one_of
from rest.fields import (
    StrictBooleanField,
    StrictChoiceField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    checked,
)
from rest.pagination import PAGE, Cursor, PagedView, query
from rest.schema import describe
from rest.scopes import Scope
from webhooks import services as webhooks
from webhooks.models import Hook
from webhooks.targets import MOST_URL

MOST_IDS = 100


def _caller(request: Request) -> UUID:
    return UUID(str(request.user.pk))


# --- the list ------------------------------------------------------------------------------------------


class NotificationOutput(TypedDict):
    id: Uuid
    kind: str
    title: Annotated[str, "in the language of the request (`Accept-Language`)"]
    text: str
    link: Annotated[str, "the path of the page that it is about"]
    values: Annotated[Object, "what the texts name, for clients with texts of their own"]
    created_at: Moment
    read_at: Moment | None


def _document(row: Notification, language: str) -> NotificationOutput:
    kind = kinds.find(row.kind)
    title, text = (row.kind, "") if kind is None else kind.render(row.values, language)
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "title": title,
        "text": text,
        "link": "/" if kind is None else kind.link(row.values),
        "values": row.values,
        "created_at": moment(row.created_at),
        "read_at": moment(row.read_at),
    }


UNREAD_SCHEMA = {"type": "integer", "minimum": 0, "maximum": services.MOST_UNREAD}


class UnreadCursor(Cursor):
    """Adds the number of unread notifications to each page."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.unread = services.unread(_caller(request))
        return super().paginate_queryset(queryset, request, view)

    def get_paginated_response(self, data: Any) -> Response:
        response = super().get_paginated_response(data)
        response.data["unread"] = self.unread
        return response

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        shape = super().get_paginated_response_schema(schema)
        shape["required"].append("unread")
        shape["properties"]["unread"] = UNREAD_SCHEMA | {
            "description": f"Unread notifications; {services.MOST_UNREAD} means so many or more."
        }
        return shape


class Notifications(PagedView):
    permission_classes = [IsAuthenticated]
    pagination_class = UnreadCursor
    ordering = ("-created_at", "-id")

    @describe(
        "notifications_list",
        "List the caller's notifications, newest first, with the number of unread ones",
        scope=Scope.ACCOUNT,
        response=list[NotificationOutput],
        filters=False,
        guests=True,
    )
    def get(self, request: Request) -> Response:
        query(request, *PAGE)
        language = kinds.known_language(translation.get_language_from_request(request))
        rows = Notification.objects.filter(player=_caller(request), in_page=True)
        return self.page(rows, lambda row: _document(row, language))


class NotificationsReadInput(StrictSerializer):
    ids = StrictListField(
        child=StrictUUIDField(),
        max_length=MOST_IDS,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"null: all, {services.MOST_READ} at a time",
    )


class UnreadOutput(TypedDict):
    unread: Annotated[int, f"unread notifications; {services.MOST_UNREAD} means so many or more"]


class NotificationsRead(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "notifications_read",
        "Mark notifications as read",
        scope=Scope.ACCOUNT,
        request=NotificationsReadInput,
        response=UnreadOutput,
        guests=True,
    )
    def post(self, request: Request) -> Response:
        """A second call changes nothing, so it needs no Idempotency-Key."""
        ids = checked(NotificationsReadInput, request)["ids"]
        services.mark_read(player=_caller(request), ids=ids, now=timezone.now())
        output: UnreadOutput = {"unread": services.unread(_caller(request))}
        return Response(output)


# --- preferences ---------------------------------------------------------------------------------------


def _wall_clock_field() -> RegexField:
    return RegexField(
        r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z",
        required=False,
        allow_null=True,
        help_text="as `22:00`, in `time_zone`; null: no quiet hours",
        error_messages={"invalid": "A time such as 22:00 is needed."},
    )


class KindPreferenceInput(StrictSerializer):
    kind = StrictTextField(max_length=20)
    page = StrictBooleanField(required=False)
    email = StrictBooleanField(required=False)
    push = StrictBooleanField(required=False)
    webhook = StrictBooleanField(required=False)

    def validate_kind(self, name: str) -> str:
        if kinds.find(name) is None:
            raise ValidationError(f"One of {', '.join(kinds.names())} is needed.")
        return name


class NotificationPreferencesInput(StrictSerializer):
    language = StrictChoiceField(choices=LANGUAGES, required=False, allow_null=True)
    time_zone = StrictTextField(max_length=64, required=False, allow_null=True, help_text="IANA name")
    quiet_from = _wall_clock_field()
    quiet_until = _wall_clock_field()
    digest = StrictChoiceField(choices=Digest.choices, required=False)
    kinds = StrictListField(child=KindPreferenceInput(), max_length=50, required=False)


class ChannelOutput(TypedDict):
    channel: Annotated[str, one_of(Channel)]
    available: Annotated[bool, "whether the caller can be reached by it now"]


class KindPreferenceOutput(TypedDict):
    kind: str
    page: bool
    email: bool
    push: bool
    webhook: bool


class NotificationPreferencesOutput(TypedDict):
    language: Annotated[str | None, one_of(LANGUAGES), "of e-mails and push messages; null: the site's"]
    time_zone: Annotated[str | None, "IANA name, for quiet hours and digests; null: the site's"]
    quiet_from: Annotated[str | None, "as `22:00`; null: no quiet hours"]
    quiet_until: str | None
    digest: Annotated[str, one_of(Digest)]
    channels: list[ChannelOutput]
    kinds: list[KindPreferenceOutput]


def _preferences(player: UUID) -> NotificationPreferencesOutput:
    row, reach = preferences.choices_of(player), preferences.reach([player]).get(player)
    possible = frozenset() if reach is None else reach.possible
    return {
        "language": row.language or None,
        "time_zone": row.time_zone or None,
        "quiet_from": _wall_clock(row.quiet_from),
        "quiet_until": _wall_clock(row.quiet_until),
        "digest": row.digest,
        "channels": [{"channel": one.value, "available": one in possible} for one in Channel],
        "kinds": [] if reach is None else [_kind(kind.name, reach) for kind in kinds.every()],
    }


def _kind(name: str, reach: Reach) -> KindPreferenceOutput:
    return {
        "kind": name,
        "page": reach.wants(name, Channel.PAGE),
        "email": reach.wants(name, Channel.EMAIL),
        "push": reach.wants(name, Channel.PUSH),
        "webhook": reach.wants(name, Channel.WEBHOOK),
    }


def _wall_clock(at: time | None) -> str | None:
    return None if at is None else f"{at:%H:%M}"


class NotificationPreferences(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "notifications_preferences_get",
        "Which notifications the caller gets, by which channels, and when",
        scope=Scope.ACCOUNT,
        response=NotificationPreferencesOutput,
        guests=True,
    )
    def get(self, request: Request) -> Response:
        return Response(_preferences(_caller(request)))

    @describe(
        "notifications_preferences_change",
        "Change some of the caller's preferences for notifications",
        scope=Scope.ACCOUNT,
        request=NotificationPreferencesInput,
        response=NotificationPreferencesOutput,
        guests=True,
    )
    def patch(self, request: Request) -> Response:
        given = checked(NotificationPreferencesInput, request)
        chosen = given.pop("kinds", [])
        wanted = {
            (one["kind"], channel): one[channel.value]
            for one in chosen
            for channel in Channel
            if channel.value in one
        }
        changes = {name: _stored(name, value) for name, value in given.items()}
        preferences.change(player=_caller(request), changes=changes, wanted=wanted)
        return Response(_preferences(_caller(request)))


def _stored(name: str, value: Any) -> Any:
    """A null text is stored as an empty one."""
    if name.startswith("quiet"):
        return None if value is None else time.fromisoformat(value)
    return value or ""


# --- the webhook ---------------------------------------------------------------------------------------


class NotificationWebhookInput(StrictSerializer):
    url = StrictTextField(max_length=MOST_URL, help_text="https, a public host, port 443 or one from 1024 on")


class NotificationHookOutput(TypedDict):
    url: str
    created_at: Moment
    disabled_at: Annotated[Moment | None, "since when nothing is sent, because deliveries failed"]
    disabled_reason: str | None


class NotificationWebhookOutput(TypedDict):
    webhook: Annotated[NotificationHookOutput | None, "null: none is set"]


class NewNotificationWebhookOutput(NotificationWebhookOutput):
    secret: Annotated[str, "`whsec_` and the key in base64; shown only once"]


def _hook(hook: Hook) -> NotificationHookOutput:
    return {
        "url": hook.url,
        "created_at": moment(hook.created_at),
        "disabled_at": moment(hook.disabled_at),
        "disabled_reason": hook.disabled_why or None,
    }


class NotificationWebhook(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "notifications_webhook_get",
        "The webhook that receives the caller's notifications",
        scope=Scope.ACCOUNT,
        response=NotificationWebhookOutput,
    )
    def get(self, request: Request) -> Response:
        hook = webhooks.personal_hook(_caller(request))
        output: NotificationWebhookOutput = {"webhook": None if hook is None else _hook(hook)}
        return Response(output)

    @describe(
        "notifications_webhook_set",
        "Set the webhook that receives the caller's notifications, with a new secret",
        scope=Scope.ACCOUNT,
        request=NotificationWebhookInput,
        response=NewNotificationWebhookOutput,
    )
    def put(self, request: Request) -> Response:
        """Replaces an earlier webhook and its deliveries. A disabled one is enabled by setting it again."""
        url = checked(NotificationWebhookInput, request)["url"]
        hook, secret = webhooks.register_personal(owner=_caller(request), url=url, now=timezone.now())
        output: NewNotificationWebhookOutput = {"webhook": _hook(hook), "secret": secret}
        return Response(output, headers={"Cache-Control": "no-store"})

    @describe(
        "notifications_webhook_remove",
        "Remove the webhook that receives the caller's notifications",
        scope=Scope.ACCOUNT,
        status=204,
    )
    def delete(self, request: Request) -> Response:
        webhooks.remove_personal(owner=_caller(request))
        return Response(status=204)
