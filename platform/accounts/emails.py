"""The e-mails about accounts, which django-allauth sends, in the languages and words of the web client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import dateformat
from django.utils.translation import get_language

Text = tuple[str, str]
"""A subject and a body."""

REQUESTS: Mapping[str, Mapping[str, Text]] = {
    "en": {
        "email_confirmation": (
            "Confirm your e-mail address",
            "{user} has given this address for an account at {site}. To confirm it, open:\n\n{activate_url}\n\n"
            "If that was not you, ignore this message.",
        ),
        "password_reset_key": (
            "Set a new password",
            "A new password was requested for your account {username} at {site}. To set it, open:\n\n"
            "{password_reset_url}\n\nIf that was not you, ignore this message. Your password stays as it is.",
        ),
        "unknown_account": (
            "No account with this address",
            "A new password was requested at {site} for {email}, but no account has this address. If that was you, "
            "try another address, or create an account:\n\n{signup_url}\n\nOtherwise ignore this message.",
        ),
        "account_already_exists": (
            "You already have an account",
            "An account at {site} was requested for {email}, but this address already has one. If you have "
            "forgotten its password, set a new one:\n\n{password_reset_url}\n\n"
            "If that was not you, ignore this message.",
        ),
    },
    "de": {
        "email_confirmation": (
            "Bestätige deine E-Mail-Adresse",
            "{user} hat diese Adresse für ein Konto bei {site} angegeben. Öffne zum Bestätigen:\n\n{activate_url}\n\n"
            "Wenn du das nicht warst, ignoriere diese Nachricht.",
        ),
        "password_reset_key": (
            "Neues Passwort setzen",
            "Für dein Konto {username} bei {site} wurde ein neues Passwort angefordert. Öffne, um es zu setzen:\n\n"
            "{password_reset_url}\n\nWenn du das nicht warst, ignoriere diese Nachricht. Dein Passwort bleibt, wie "
            "es ist.",
        ),
        "unknown_account": (
            "Kein Konto mit dieser Adresse",
            "Bei {site} wurde für {email} ein neues Passwort angefordert, aber kein Konto hat diese Adresse. Wenn du "
            "das warst, versuche es mit einer anderen Adresse oder lege ein Konto an:\n\n{signup_url}\n\n"
            "Sonst ignoriere diese Nachricht.",
        ),
        "account_already_exists": (
            "Du hast schon ein Konto",
            "Bei {site} wurde für {email} ein Konto angefordert, aber es gibt schon eines mit dieser Adresse. Wenn du "
            "dein Passwort vergessen hast, setze ein neues:\n\n{password_reset_url}\n\n"
            "Wenn du das nicht warst, ignoriere diese Nachricht.",
        ),
    },
    "pl": {
        "email_confirmation": (
            "Potwierdź swój adres e-mail",
            "{user} podaje ten adres do konta w serwisie {site}. Aby go potwierdzić, otwórz:\n\n{activate_url}\n\n"
            "Jeśli to nie ty, zignoruj tę wiadomość.",
        ),
        "password_reset_key": (
            "Ustaw nowe hasło",
            "Dla twojego konta {username} w serwisie {site} zażądano nowego hasła. Aby je ustawić, otwórz:\n\n"
            "{password_reset_url}\n\nJeśli to nie ty, zignoruj tę wiadomość. Twoje hasło się nie zmieni.",
        ),
        "unknown_account": (
            "Brak konta z tym adresem",
            "W serwisie {site} zażądano nowego hasła dla {email}, ale żadne konto nie ma tego adresu. Jeśli to ty, "
            "spróbuj z innym adresem albo załóż konto:\n\n{signup_url}\n\n"
            "W przeciwnym razie zignoruj tę wiadomość.",
        ),
        "account_already_exists": (
            "Masz już konto",
            "W serwisie {site} zażądano konta dla {email}, ale konto z tym adresem już istnieje. Jeśli nie pamiętasz "
            "hasła, ustaw nowe:\n\n{password_reset_url}\n\nJeśli to nie ty, zignoruj tę wiadomość.",
        ),
    },
}
"""What the recipient has asked for, by language and by the last part of allauth's name."""

CHANGES: Mapping[str, Mapping[str, Text]] = {
    "en": {
        "password_changed": ("Password changed", "Your password was changed."),
        "password_reset": ("Password changed", "Your password was changed with a link from an e-mail."),
        "password_set": ("Password set", "Your account now has a password."),
        "email_changed": (
            "E-mail address changed",
            "Your e-mail address was {from_email}. It is now {to_email}.",
        ),
        "email_confirm": ("E-mail address confirmed", "Your e-mail address is confirmed."),
        "email_deleted": (
            "E-mail address removed",
            "The address {deleted_email} was removed from your account.",
        ),
        "totp_activated": ("Authenticator app set up", "An authenticator app is now your second factor."),
        "totp_deactivated": ("Authenticator app removed", "Your authenticator app was removed."),
        "recovery_codes_generated": ("New recovery codes", "Your recovery codes were replaced by new ones."),
        "webauthn_added": ("Passkey added", "A passkey was added to your account."),
        "webauthn_removed": ("Passkey removed", "A passkey was removed from your account."),
        "account_connected": ("Account linked", "An account of {provider} was linked to yours."),
        "account_disconnected": (
            "Account unlinked",
            "The account of {provider} is no longer linked to yours.",
        ),
    },
    "de": {
        "password_changed": ("Passwort geändert", "Dein Passwort wurde geändert."),
        "password_reset": (
            "Passwort geändert",
            "Dein Passwort wurde mit einem Link aus einer E-Mail geändert.",
        ),
        "password_set": ("Passwort gesetzt", "Dein Konto hat jetzt ein Passwort."),
        "email_changed": (
            "E-Mail-Adresse geändert",
            "Deine E-Mail-Adresse war {from_email}. Jetzt ist sie {to_email}.",
        ),
        "email_confirm": ("E-Mail-Adresse bestätigt", "Deine E-Mail-Adresse ist bestätigt."),
        "email_deleted": (
            "E-Mail-Adresse entfernt",
            "Die Adresse {deleted_email} wurde aus deinem Konto entfernt.",
        ),
        "totp_activated": (
            "Authenticator-App eingerichtet",
            "Eine Authenticator-App ist jetzt dein zweiter Faktor.",
        ),
        "totp_deactivated": ("Authenticator-App entfernt", "Deine Authenticator-App wurde entfernt."),
        "recovery_codes_generated": (
            "Neue Wiederherstellungscodes",
            "Deine Wiederherstellungscodes wurden durch neue ersetzt.",
        ),
        "webauthn_added": ("Passkey hinzugefügt", "Deinem Konto wurde ein Passkey hinzugefügt."),
        "webauthn_removed": ("Passkey entfernt", "Aus deinem Konto wurde ein Passkey entfernt."),
        "account_connected": ("Konto verknüpft", "Ein Konto bei {provider} wurde mit deinem verknüpft."),
        "account_disconnected": (
            "Konto getrennt",
            "Das Konto bei {provider} ist nicht mehr mit deinem verknüpft.",
        ),
    },
    "pl": {
        "password_changed": ("Zmieniono hasło", "Twoje hasło zostało zmienione."),
        "password_reset": ("Zmieniono hasło", "Twoje hasło zostało zmienione przez link z e-maila."),
        "password_set": ("Ustawiono hasło", "Twoje konto ma teraz hasło."),
        "email_changed": (
            "Zmieniono adres e-mail",
            "Twój dotychczasowy adres e-mail to {from_email}, a nowy to {to_email}.",
        ),
        "email_confirm": ("Potwierdzono adres e-mail", "Twój adres e-mail jest potwierdzony."),
        "email_deleted": ("Usunięto adres e-mail", "Adres {deleted_email} został usunięty z twojego konta."),
        "totp_activated": (
            "Dodano aplikację uwierzytelniającą",
            "Aplikacja uwierzytelniająca jest teraz twoim drugim składnikiem.",
        ),
        "totp_deactivated": (
            "Usunięto aplikację uwierzytelniającą",
            "Twoja aplikacja uwierzytelniająca została usunięta.",
        ),
        "recovery_codes_generated": (
            "Nowe kody odzyskiwania",
            "Twoje kody odzyskiwania zostały zastąpione nowymi.",
        ),
        "webauthn_added": ("Dodano klucz dostępu", "Do twojego konta dodano klucz dostępu."),
        "webauthn_removed": ("Usunięto klucz dostępu", "Z twojego konta usunięto klucz dostępu."),
        "account_connected": ("Połączono konto", "Konto w serwisie {provider} zostało połączone z twoim."),
        "account_disconnected": (
            "Odłączono konto",
            "Konto w serwisie {provider} nie jest już połączone z twoim.",
        ),
    },
}
"""What has changed in an account, in the same way."""

ORIGIN: Mapping[str, str] = {
    "en": "Time: {timestamp}\nIP address: {ip}\nBrowser: {user_agent}\n\n"
    "If that was not you, change your password at once. This signs out all other browsers:\n\n{account_url}",
    "de": "Zeit: {timestamp}\nIP-Adresse: {ip}\nBrowser: {user_agent}\n\n"
    "Wenn du das nicht warst, ändere sofort dein Passwort. Das meldet alle anderen Browser ab:\n\n{account_url}",
    "pl": "Czas: {timestamp}\nAdres IP: {ip}\nPrzeglądarka: {user_agent}\n\n"
    "Jeśli to nie ty, natychmiast zmień hasło. To wyloguje wszystkie inne przeglądarki:\n\n{account_url}",
}


TIMES: Mapping[str, str] = {"en": "j F Y, H:i", "de": "j. F Y, H:i", "pl": "j E Y, H:i"}


def text_of(template_prefix: str, context: Mapping[str, Any]) -> Text | None:
    """Return the subject and the body of an e-mail in the active language; None for one that is unknown here."""
    name = template_prefix.rsplit("/", 1)[-1].replace("_signup", "")
    language = (get_language() or "en")[:2]
    language = language if language in ORIGIN else "en"
    values = {"username": "", **context, "site": context["current_site"].domain}
    if "user" in context:
        values["user"] = context["user"].get_username()
    if name in REQUESTS[language]:
        subject, body = REQUESTS[language][name]
        return subject, body.format(**values)
    if name not in CHANGES[language]:
        return None
    subject, body = CHANGES[language][name]
    values["timestamp"] = f"{dateformat.format(context['timestamp'], TIMES[language])} UTC"
    values["account_url"] = f"{settings.RACECARD_SITE_URL.rstrip('/')}/account/"
    return subject, f"{body}\n\n{ORIGIN[language]}".format(**values)
