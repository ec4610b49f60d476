from __future__ import annotations

from core.errors import Conflict, Forbidden, InvalidInput, NotAuthenticated, TooManyRequests


class UsernameTaken(Conflict):
    code = "username-taken"
    title = "Another account has this name, perhaps in other letters' case"


class NameRefused(InvalidInput):
    code = "name-refused"
    title = "This site does not allow this name"


class PasswordRefused(InvalidInput):
    code = "password-refused"
    title = "This password is too easy to guess"


class SignInRefused(NotAuthenticated):
    code = "sign-in-refused"
    title = "No account has this name and password"


class EmailNotVerified(Forbidden):
    code = "email-not-verified"
    title = "This account signs in once its e-mail address is verified"


class EmailNeeded(Forbidden):
    code = "email-needed"
    title = "An account of this installation needs an e-mail address"


class AccountNeeded(Forbidden):
    code = "account-needed"
    title = "Guests play for points; sign up for everything else"


class BotRefused(Forbidden):
    code = "bot-refused"
    title = "A player's bot plays for points, and does nothing else"


class TooManyBots(Conflict):
    code = "too-many-bots"
    title = "You have as many bots as a player may have"


class GuestsRefused(Conflict):
    code = "guests-refused"
    title = "This installation admits no more guests at the moment"


class NotAGuest(Forbidden):
    code = "not-a-guest"
    title = "This account is signed up already"


class AccountSuspended(Forbidden):
    code = "account-suspended"
    title = "This account is suspended"


class TooManyBlocks(Conflict):
    code = "too-many-blocks"
    title = "You have blocked as many players as a player may"


class TooManyReports(Conflict):
    code = "too-many-reports"
    title = "Staff have not yet decided on your other reports"


class ReportClosed(Conflict):
    code = "report-closed"
    title = "This report is closed already"


class CodeNeeded(NotAuthenticated):
    code = "code-required"
    title = "This account signs in with a second factor as well"


class CodeRefused(NotAuthenticated):
    code = "code-refused"
    title = "This code is not right"


class SecondFactorNeeded(Forbidden):
    code = "second-factor-required"
    title = "Staff of this installation need a second factor"


class RecentSignInNeeded(Forbidden):
    code = "recent-sign-in-required"
    title = "Confirm your identity first"


class SignInLocked(TooManyRequests):
    code = "sign-in-locked"
    title = "Too many failed attempts for this name; wait and try again"


class StillNeeded(Conflict):
    code = "account-still-needed"
    title = "This account cannot be erased"


class ScopeNotHeld(Forbidden):
    code = "scope-not-held"
    title = "A token has no staff scope without the role"
