"""The names that a player, a guest, or a bot may have."""

from __future__ import annotations

import unicodedata

from django.conf import settings
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError

from accounts.errors import NameRefused
from core.errors import InvalidInput

LONGEST_USERNAME = 40
LONGEST_DISPLAY_NAME = 60
GUEST = "guest"
_RESERVED = ("bot-", "erased-", f"{GUEST}-")


def check_username(username: str) -> None:
    if len(username) > LONGEST_USERNAME:
        raise InvalidInput(f"username: at most {LONGEST_USERNAME} characters.", field="username")
    if unicodedata.normalize("NFKC", username) != username:
        raise InvalidInput(
            "username: it holds characters in a compatibility form; write them plainly.", field="username"
        )
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        raise InvalidInput("username: letters, digits and @ . + - _ only.", field="username") from None
    if any(not character.isascii() and character != character.lower() for character in username):
        # Databases fold the case of A to Z alike and of nothing else; ärne and Ärne must not both exist.
        raise InvalidInput("username: letters other than A to Z are written small.", field="username")
    if username.lower().startswith(_RESERVED):
        raise InvalidInput(
            "username: names beginning with bot-, erased- or guest- are the server's own.", field="username"
        )
    check_allowed(username, "username")


def check_allowed(name: str, field: str) -> None:
    """Check a name against the words that this site refuses. Raises NameRefused."""
    plain = "".join(filter(str.isalpha, unicodedata.normalize("NFKC", name).casefold().translate(_LETTERS)))
    if any(word.casefold() in plain for word in settings.RACECARD_REFUSED_NAMES):
        raise NameRefused(field=field)


_LETTERS = str.maketrans("013457@$", "oieastas")
"""Signs that are written for letters."""


def check_display_name(name: str, field: str = "display_name") -> None:
    """Check a display name: no invisible characters, and none that reverse the text around them."""
    if not name.isprintable() or name != name.strip():
        raise InvalidInput(f"{field}: printable characters, no space at either end.", field=field)
    if name.casefold().startswith(f"{GUEST} "):
        raise InvalidInput(f"{field}: names beginning with Guest are those of guests.", field=field)
    check_allowed(name, field)
