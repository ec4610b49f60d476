"""Staff actions on players: roles, names, suspensions, resets of sign-in, erasure. Each has a reason and a preview."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from allauth.account import app_settings as account_settings
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from accounts import moderation, services
from accounts.errors import ReportClosed
from accounts.models import Player, PlayerReport, ReportOutcome, Token
from accounts.names import LONGEST_USERNAME
from accounts.roles import Role
from core.errors import Conflict, Forbidden, NotFound
from core.transactions import dry_run
from staff.actions import AlreadyDone, Change, Done, FormData, Preview, ReasonForm, StaffAction

Tell = Callable[[Player], Iterable[tuple[str, str]]]
"""Returns further facts of a player for the preview of an erasure: label and value."""

_known: list[Tell] = []


def before_erasing(tell: Tell) -> Tell:
    """Register facts from packages above this one, such as money and games."""
    _known.append(tell)
    return tell


class RolesForm(ReasonForm):
    roles = forms.MultipleChoiceField(
        choices=[(role.value, role.value.capitalize()) for role in Role],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Organizers run tournaments. Auditors see evidence and money, rule on disputes, and freeze payments. "
        "Administrators manage players, money, and roles. The player will have exactly the checked roles.",
    )
    field_order = ("roles", "reason")


class PlayerAction(StaffAction[Player]):
    """An action on a player."""

    is_sensitive = True

    @classmethod
    def find(cls, actor: Player, pk: UUID) -> Player:
        player = Player.objects.filter(pk=pk).first()
        if player is None:
            raise NotFound
        return player

    def permits(self) -> bool:
        return (not self.row.is_bot or self.row.is_owned_bot) and self.row.erased_at is None

    @property
    def subject(self) -> str:
        return f"player:{self.row.pk}"


class SetRoles(PlayerAction):
    name, label, page = "set-roles", "Set roles", "accounts_player_roles"
    route = "<uuid:pk>/roles/"
    operations = ("players_roles",)
    permission = "accounts.grant_roles"
    form = RolesForm
    lead = "The change takes effect immediately."

    @property
    def title(self) -> str:
        return f"Roles of {self.row}"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"roles": list(self.row.groups.values_list("name", flat=True))}

    def preview(self, data: FormData) -> Preview:
        services.check_may_hold_roles(self.row)
        had = set(self.row.groups.values_list("name", flat=True))
        wanted = set(data["roles"])
        facts = [("Given", _named(wanted - had)), ("Taken", _named(had - wanted))]
        warnings = _of_roles(had, wanted, is_own=self.row == self.actor)
        changes = [Change(f"Roles of {self.row}", _named(had), _named(wanted))]
        return Preview(facts=facts, warnings=warnings, changes=changes)

    def carry_out(self, data: FormData, key: str, now: datetime) -> list[str]:
        """Raises StillNeeded, and AlreadyDone if the player has these roles."""
        roles = frozenset(Role(name) for name in data["roles"])
        if not services.set_roles(player=self.row, roles=roles):
            raise AlreadyDone
        return sorted(roles)

    def done(self, made: list[str]) -> Done:
        message = f"{self.row} holds these roles now: {_named(made)}."
        return Done(message, self.subject, self.back, details={"roles": made})


class RenameForm(ReasonForm):
    username = forms.CharField(max_length=LONGEST_USERNAME, help_text="The name that signs in.")
    display_name = forms.CharField(
        max_length=60, required=False, help_text="The name that other players see."
    )
    field_order = ("username", "display_name", "reason")


class Rename(PlayerAction):
    name, label, page = "rename-player", "Rename", "accounts_player_rename"
    route = "<uuid:pk>/rename/"
    operations = ("players_rename",)
    permission = "accounts.change_player"
    form = RenameForm
    lead = "For a name that offends or imitates somebody. The player signs in with the new name from now on."

    @property
    def title(self) -> str:
        return f"Rename {self.row}"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"username": self.row.username, "display_name": self.row.display_name}

    def preview(self, data: FormData) -> Preview:
        changes = [
            Change("Username", self.row.username, data["username"]),
            Change("Display name", self.row.display_name or "none", data["display_name"] or "none"),
        ]
        dry_run(lambda: services.rename(player=self.row, **_names(data)))
        self.row.refresh_from_db()
        return Preview(changes=changes)

    def carry_out(self, data: FormData, key: str, now: datetime) -> str:
        """Return the former name. Raises InvalidInput, NameRefused, UsernameTaken, and AlreadyDone."""
        before = self.row.username
        if not services.rename(player=self.row, **_names(data)):
            raise AlreadyDone
        return before

    def done(self, made: str) -> Done:
        details = {"from": made, "to": self.row.username}
        return Done(
            f"The player {made} is called {self.row.username} now.", self.subject, self.back, details=details
        )


class Suspend(PlayerAction):
    name, label, page = "suspend-player", "Suspend", "accounts_player_suspend"
    route = "<uuid:pk>/suspend/"
    operations = ("players_suspend",)
    permission = "accounts.change_player"
    is_one_step = True
    lead = (
        "The player cannot sign in until a member of staff lifts the suspension, and reads the reason when trying. "
        "Money and games stay as they are."
    )
    button = "Suspend player"

    @property
    def title(self) -> str:
        return f"Suspend {self.row}"

    def permits(self) -> bool:
        return super().permits() and self.row.is_active and self.row != self.actor

    def preview(self, data: FormData) -> Preview:
        facts = [*_ways_in(self.row), *(line for tell in _known for line in tell(self.row))]
        return Preview(facts=facts, changes=[Change(f"Account of {self.row}", "open", "suspended")])

    def carry_out(self, data: FormData, key: str, now: datetime) -> None:
        """Raises Forbidden for oneself, and AlreadyDone."""
        if self.row == self.actor:
            raise Forbidden("Nobody suspends themselves.")
        if not services.suspend(player=self.row, reason=data["reason"]):
            raise AlreadyDone

    def done(self, made: None) -> Done:
        return Done(f"{self.row} is suspended.", self.subject, self.back)


class Reinstate(PlayerAction):
    name, label, page = "reinstate-player", "Lift suspension", "accounts_player_reinstate"
    route = "<uuid:pk>/reinstate/"
    operations = ("players_reinstate",)
    permission = "accounts.change_player"
    is_one_step = True
    lead = "The player can sign in again, with the same password and second factors."

    @property
    def title(self) -> str:
        return f"Lift the suspension of {self.row}"

    def permits(self) -> bool:
        return super().permits() and not self.row.is_active

    def preview(self, data: FormData) -> Preview:
        if self.row.is_active:
            raise Conflict(f"{self.row} is not suspended.")
        return Preview(changes=[Change(f"Account of {self.row}", "suspended", "open")])

    def carry_out(self, data: FormData, key: str, now: datetime) -> None:
        """Raises AlreadyDone."""
        if not services.reinstate(player=self.row):
            raise AlreadyDone

    def done(self, made: None) -> Done:
        return Done(f"{self.row} can sign in again.", self.subject, self.back)


def _names(data: FormData) -> dict[str, str]:
    return {"username": data["username"], "display_name": data["display_name"]}


class ResetForm(ReasonForm):
    second_factors = forms.BooleanField(
        required=False,
        label="Remove second factors",
        help_text="For a player who has lost the authenticator, the passkeys, and the recovery codes.",
    )
    field_order = ("second_factors", "reason")


class ResetSignIn(PlayerAction):
    name, label, page = "make-recovery-link", "Reset sign-in", "accounts_player_recover"
    route = "<uuid:pk>/recover/"
    operations = ("players_recovery_link",)
    permission = "accounts.recover_player"
    form = ResetForm
    lead = (
        "For a player who cannot sign in, has no e-mail address here, and has proven their identity. The link sets a "
        "new password and is shown once."
    )

    @property
    def title(self) -> str:
        return f"Reset how {self.row} signs in"

    def preview(self, data: FormData) -> Preview:
        services.check_recoverable(self.row)
        until = timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
        kept = Authenticator.objects.filter(user=self.row).count()
        facts = [
            ("Player", str(self.row)),
            ("Good until", f"{until:%d %b %Y %H:%M} UTC, or the next sign-in"),
            ("Second factors", f"{kept} removed" if data["second_factors"] else f"{kept} kept"),
        ]
        warning = "Anyone who has the link can set the password and act as this player."
        return Preview(facts=facts, warnings=[warning])

    def carry_out(self, data: FormData, key: str, now: datetime) -> tuple[str, int]:
        """Return the address of the page that sets a new password, and the number of removed second factors."""
        services.check_recoverable(self.row)
        removed = services.remove_second_factors(player=self.row) if data.get("second_factors") else 0
        return recovery_address(self.row), removed

    def done(self, made: tuple[str, int]) -> Done:
        link, removed = made
        message = f"{self.row}: the link for a new password, shown this once, good for a day: {link}"
        return Done(message, self.subject, self.back, details={"second factors removed": removed})


class CloseForm(ReasonForm):
    outcome = forms.ChoiceField(choices=ReportOutcome.choices, label="What was done")
    field_order = ("outcome", "reason")


class CloseReport(StaffAction[PlayerReport]):
    name, label, page = "close-player-report", "Close", "accounts_playerreport_close"
    route = "<int:pk>/close/"
    operations = ("player_reports_close",)
    permission = "accounts.close_playerreport"
    form = CloseForm
    button = "Close report"

    @classmethod
    def find(cls, actor: Player, pk: int) -> PlayerReport:
        found = PlayerReport.objects.select_related("player", "reporter").filter(pk=pk).first()
        if found is None:
            raise NotFound
        return found

    @property
    def title(self) -> str:
        return f"Close the report about {self.row.player}"

    @property
    def lead(self) -> str:
        report = self.row
        text = f" “{report.text}”" if report.text else ""
        return (
            f"Reported by {report.reporter}: {report.get_reason_display()}.{text} "
            "Rename or suspend the player on the player's page first, if the report calls for it."
        )

    @property
    def subject(self) -> str:
        return f"player:{self.row.player_id}"

    def permits(self) -> bool:
        return self.row.closed is None

    def preview(self, data: FormData) -> Preview:
        if self.row.closed is not None:
            raise ReportClosed
        facts = [
            ("Player", str(self.row.player)),
            ("Reported by", str(self.row.reporter)),
            ("For", self.row.get_reason_display()),
        ]
        closed = Change("Report", "open", f"closed: {ReportOutcome(data['outcome']).label}")
        return Preview(facts=facts, changes=[closed])

    def carry_out(self, data: FormData, key: str, now: datetime) -> ReportOutcome:
        """Raises ReportClosed."""
        outcome = ReportOutcome(data["outcome"])
        moderation.close(report=self.row, by=self.actor, outcome=outcome, now=now)
        return outcome

    def done(self, made: ReportOutcome) -> Done:
        message = f"The report about {self.row.player} is closed: {made.label}."
        return Done(message, self.subject, self.back, details={"report": self.row.pk, "outcome": made})


def recovery_address(player: Player) -> str:
    """Return the address that an e-mail for a lost password would contain."""
    token = account_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(player)
    path = settings.HEADLESS_FRONTEND_URLS["account_reset_password_from_key"]
    return str(path).format(key=f"{user_pk_to_url_str(player)}-{token}")


class Erase(PlayerAction):
    name, label, page = "erase-player", "Erase", "accounts_player_erase"
    route = "<uuid:pk>/erase/"
    operations = ("players_erase",)
    permission = "accounts.erase_player"
    lead = "Names, contacts, and all sign-in methods are removed. Games and transfers stay, without the name."
    button = "Erase player"
    is_final = True

    @property
    def title(self) -> str:
        return f"Erase {self.row} for good"

    def preview(self, data: FormData) -> Preview:
        services.check_erasable(self.row)
        facts = [*_of_erasure(self.row), *(line for tell in _known for line in tell(self.row))]
        return Preview(facts=facts, technical=[("Id of the account", str(self.row.pk))])

    def carry_out(self, data: FormData, key: str, now: datetime) -> str:
        """Return the erased name. Raises StillNeeded, and AlreadyDone if the player is erased."""
        name = str(self.row)
        if not services.erase_player(player=self.row, now=now):
            raise AlreadyDone
        return name

    def done(self, made: str) -> Done:
        return Done(f"{made} is erased.", self.subject, self.back)


def person(request: HttpRequest) -> Player:
    """Return the signed-in player; staff pages are open to no one else."""
    assert isinstance(request.user, Player)
    return request.user


def _named(roles: Iterable[str]) -> str:
    return ", ".join(sorted(roles)) or "none"


def _of_roles(had: set[str], wanted: set[str], *, is_own: bool) -> list[str]:
    found = []
    if is_own and Role.ADMINISTRATOR in had - wanted:
        found.append("You are removing your own administrator role and will lose access to this page.")
    if had & services.MAY_HAVE_WEBHOOKS and not wanted & services.MAY_HAVE_WEBHOOKS:
        found.append("Their webhooks will be deleted.")
    return found


def _ways_in(player: Player) -> list[tuple[str, str]]:
    tokens = Token.objects.filter(player=player).count()
    factors = Authenticator.objects.filter(user=player).count()
    return [("Ways in", f"all sessions end; tokens that end: {tokens}, second factors: {factors}")]


def _of_erasure(player: Player) -> list[tuple[str, str]]:
    return [
        ("Name", f"{player.username}, shown as {player.display_name or player.username}: gone"),
        ("Contact", f"{player.email}: gone" if player.email else "none"),
        *_ways_in(player),
        ("What stays", "an account without a name, with its games, transfers, and staff actions"),
    ]
