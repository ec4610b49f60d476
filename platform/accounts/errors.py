from __future__ import annotations

from core.errors import Conflict, Forbidden, InvalidInput, NotAuthenticated, TooManyRequests


class UsernameTaken(Conflict):
    code = "username-taken"
    title = "Another account has this name, perhaps in other letters' case"


class PasswordRefused(InvalidInput):
    code = "password-refused"
    title = "This password is too easy to guess"


class SignInRefused(NotAuthenticated):
    code = "sign-in-refused"
    title = "No account has this name and password"


class CodeNeeded(NotAuthenticated):
    code = "otp-required"
    title = "This account signs in with a one-time code as well"


class CodeRefused(NotAuthenticated):
    code = "otp-refused"
    title = "This one-time code is not right"


class EnrolmentNeeded(Forbidden):
    code = "otp-enrolment-required"
    title = "Staff of this installation must have enrolled a one-time code"


class SignInLocked(TooManyRequests):
    code = "sign-in-locked"
    title = "Too many failed attempts for this name; wait and try again"


class RecoveryRefused(InvalidInput):
    code = "recovery-refused"
    title = "This recovery link was used, has lapsed or never was"


class AlreadyEnrolled(Conflict):
    code = "otp-already-enrolled"
    title = "This account has a one-time code already"


class NotEnrolling(Conflict):
    code = "otp-not-enrolling"
    title = "No enrolment of a one-time code is under way"


class StillNeeded(Conflict):
    code = "account-still-needed"
    title = "This account cannot be erased"


class ScopeNotHeld(Forbidden):
    code = "scope-not-held"
    title = "A token has no staff scope without the role"
