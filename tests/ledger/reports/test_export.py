"""The ledger in formats of other programs: beancount accepts it and confirms every balance."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from ledger import services
from ledger.models import Account, Transfer
from ledger.reports.export import export, name_of
from ledger.reports.journals import account_name
from ledger.services import Leg
from tests.ledger.reports.worlds import World
from tests.money import AT, CURRENCY, cash, fresh_key

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NASTY = [
    'say "when"',
    "back\\slash \\n \\",
    "two\nlines\r\nand\ttabs",
    "; a comment",
    "a, b, date:2020-01-01, [2020-01-02] [=2020]",
    "(code) * ! | = @ ~ #tag ^link {cost}",
    "2026-01-01 open Assets:Evil",
    "ünïcode 😀 \u2028 \u0085 \u200f\ufeff\x01\x7f",
    "'; DROP TABLE ledger_transfer; --",
    " ",
    "Assets:House:External  5.00 XTS",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)


def written(format: str) -> str:
    return "".join(export(format))


def parsed(text: str) -> tuple[list[Any], list[str]]:
    """Return the entries that beancount reads, and its errors."""
    from beancount import loader  # slow to import

    entries, errors, _ = loader.load_string(text)
    return entries, [error.message for error in errors]


def loaded(text: str) -> list[Any]:
    """Return the entries of a text in which beancount finds no error."""
    entries, errors = parsed(text)
    assert errors == []
    return entries


def errors_of(text: str) -> list[str]:
    return parsed(text)[1]


def of_type(entries: list[Any], name: str) -> list[Any]:
    return [entry for entry in entries if type(entry).__name__ == name]


def pay(
    *reasons: str, key: str = "", subject: str = "", actor: str = "test", currency: str = CURRENCY
) -> None:
    outside = services.account(owner="house", purpose="external", currency=currency)
    purse = cash(uuid4(), currency)
    legs = [Leg(outside, purse, 1 + number, reason) for number, reason in enumerate(reasons)]
    services.post(key=key or fresh_key(), legs=legs, subject=subject, actor=actor, at=AT)


def in_order() -> list[Transfer]:
    return list(
        Transfer.objects.with_accounts().select_related("reverses").order_by("epoch", "xact", "position")
    )


def as_known(row: Transfer) -> dict[str, str]:
    """Return the metadata of a transfer besides accounts and amounts."""
    at = row.at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    known = {
        "key": row.key,
        "posting": str(row.posting),
        "subject": row.subject,
        "event": "" if row.event is None else str(row.event),
        "actor": row.actor,
        "at": at,
        "transfer": str(row.uuid),
        "reason": row.reason,
        "reverses": str(row.reverses.uuid) if row.reverses else "",
    }
    return {name: text for name, text in known.items() if text}


def moved(row: Transfer) -> tuple[str, str, Decimal, str]:
    return name_of(row.debit), name_of(row.credit), Decimal(row.amount).scaleb(-2), row.currency


@settings(max_examples=2, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_beancount_accepts_the_export(seed: int) -> None:
    World(seed).do(5)
    entries = loaded(written("beancount"))
    transactions = of_type(entries, "Transaction")
    reported = {}
    for transaction in transactions:
        for debit, credit in zip(transaction.postings[::2], transaction.postings[1::2], strict=True):
            of_both = {**transaction.meta, **debit.meta}
            known = {
                name: text
                for name, text in of_both.items()
                if name not in ("filename", "lineno", "__tolerances__")
            }
            assert credit.units == -debit.units
            reported[known["transfer"]] = (
                known,
                (debit.account, credit.account, debit.units.number, debit.units.currency),
                transaction.date,
            )
    rows = in_order()
    assert reported == {str(row.uuid): (as_known(row), moved(row), row.at.date()) for row in rows}
    assert len(transactions) == len({row.posting for row in rows})
    proved = {
        (entry.account, entry.amount.currency): -int(entry.amount.number.scaleb(2))
        for entry in of_type(entries, "Balance")
    }
    assert proved == {(name_of(each), each.currency): each.total for each in Account.objects.all()}
    assert Counter(entry.account for entry in of_type(entries, "Open")) == Counter(
        {name_of(each) for each in Account.objects.all()}
    )


def test_beancount_finds_a_missing_penny_or_posting() -> None:
    pay("one")
    pay("two", "more")
    text = written("beancount")
    loaded(text)
    assert errors_of(text.replace(" 0.02 XTS", " 0.03 XTS").replace(" -0.02 XTS", " -0.03 XTS"))
    assert errors_of(re.sub(r"\n\n\S+ \* \"two\"\n(  .*\n)+", "\n", text))
    assert errors_of(re.sub(r"balance (\S+)  -0.01", r"balance \1  -0.02", text))


@settings(max_examples=15, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(reason=TEXTS | st.sampled_from(NASTY), actor=TEXTS, subject=TEXTS)
@example(reason=NASTY[0], actor=NASTY[1], subject=NASTY[2])
def test_any_text_is_preserved_in_both_formats(reason: str, actor: str, subject: str) -> None:
    key = fresh_key()
    pay(reason, reason + "x", key=key, subject=subject, actor=actor)
    rows = [row for row in in_order() if row.key == key]
    one = [entry for entry in loaded(written("beancount")) if getattr(entry, "meta", {}).get("key") == key]
    assert [(entry.narration, entry.meta["actor"], entry.meta["subject"]) for entry in one] == [
        (reason, actor, subject)
    ]
    (entry,) = [entry for entry in hledger_entries(written("hledger")) if entry["tags"].get("key") == key]
    assert [leg["tags"]["reason"] for leg in entry["legs"]] == [row.reason for row in rows]
    assert (entry["tags"]["actor"], entry["tags"]["subject"]) == (actor, subject)


# --- hledger -----------------------------------------------------------------------------------------

_ACCOUNT = r"(?:[A-Z][A-Za-z0-9-]*)(?::[A-Z][A-Za-z0-9-]*){2}"
_AMOUNT = r"(?P<amount>-?\d+(?:\.\d+)?) (?P<currency>[A-Z]{3})"
_LINES = {
    "comment": re.compile(r"; .*"),
    "mark": re.compile(r"decimal-mark \."),
    "commodity": re.compile(r"commodity 1000\.0* (?P<currency>[A-Z]{3})"),
    "account": re.compile(rf"account (?P<account>{_ACCOUNT})"),
    "header": re.compile(r"(?P<date>\d{4}-\d\d-\d\d) \* ?(?P<text>[^;|()\[\]=*!\x00-\x1f]*)"),
    "leg": re.compile(rf"    (?P<account>{_ACCOUNT})  {_AMOUNT}"),
    "assertion": re.compile(rf"    (?P<account>{_ACCOUNT})  -?0(?:\.0+)? [A-Z]{{3}} = {_AMOUNT}"),
    # No comma (it ends a tag), no bracket or `date:` (they set a date), and no line break.
    "tag": re.compile(r'    ; (?P<name>[a-z]+):(?P<text>"[^,;\[\x00-\x1f\x7f\x85\u2028\u2029]*")'),
    "blank": re.compile(""),
}
"""Every line there may be, in the words of hledger's own manual: https://hledger.org/hledger.html#journal."""


def hledger_entries(text: str) -> list[dict[str, Any]]:
    """Return the transactions of a journal, with the checks of `hledger check --strict`.

    Lines are of a known form, accounts and commodities are declared, transactions balance, and assertions hold.
    """
    accounts: set[str] = set()
    commodities: set[str] = set()
    standing: Counter[tuple[str, str]] = Counter()
    entries: list[dict[str, Any]] = []
    dates: list[str] = []
    assert text.endswith("\n")
    for number, shown in enumerate(text[:-1].split("\n"), 1):
        kind, found = next(
            ((kind, found) for kind, form in _LINES.items() if (found := form.fullmatch(shown))), ("", None)
        )
        assert found is not None, f"line {number} is none of hledger's: {shown!r}"
        if kind == "commodity":
            commodities.add(found["currency"])
        elif kind == "account":
            assert found["account"] not in accounts
            accounts.add(found["account"])
        elif kind == "header":
            dates.append(found["date"])
            entries.append(
                {"date": found["date"], "text": found["text"], "tags": {}, "legs": [], "sum": Counter()}
            )
        elif kind in ("leg", "assertion"):
            assert found["account"] in accounts
            assert found["currency"] in commodities
            of = (found["account"], found["currency"])
            amount = Decimal(found["amount"])
            if kind == "assertion":
                assert standing[of] == amount, f"{of} is {standing[of]}"
                assert dates[-1] == max(dates)
                entries[-1]["asserted"] = (*of, amount)
            else:
                standing[of] += amount
                entries[-1]["sum"][found["currency"]] += amount
                entries[-1]["legs"].append({"account": of[0], "amount": amount, "tags": {}})
        elif kind == "tag":
            assert not re.search("date2?:", found["text"], re.IGNORECASE)
            legs = entries[-1]["legs"]
            (legs[-1] if legs else entries[-1])["tags"][found["name"]] = json.loads(found["text"])
    for entry in entries:
        assert all(total == 0 for total in entry["sum"].values())
        entry["legs"] = entry["legs"][::2]  # debits; the credits mirror them
    return entries


@settings(max_examples=2, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_the_export_is_valid_for_hledger_and_asserts_every_balance(seed: int) -> None:
    World(seed).do(5)
    entries = hledger_entries(written("hledger"))
    asserted = {
        entry["asserted"][:2]: -int(entry["asserted"][2].scaleb(2))
        for entry in entries
        if "asserted" in entry
    }
    assert asserted == {(name_of(each), each.currency): each.total for each in Account.objects.all()}
    reported = [{**entry["tags"], **leg["tags"]} for entry in entries for leg in entry["legs"]]
    assert reported == [as_known(row) for row in in_order()]


def test_a_reason_cannot_be_read_as_a_date_or_a_code() -> None:
    pay(*NASTY)
    text = written("hledger")
    assert len([entry for entry in hledger_entries(text) if entry["legs"]]) == 1
    with pytest.raises(AssertionError):
        hledger_entries(text.replace(" = -0.", " = -1."))
    with pytest.raises(AssertionError):
        hledger_entries(text + "    ; x:[2020-01-01]\n")


# --- both formats ------------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.parametrize("format", ["hledger", "beancount"])
def test_export_is_deterministic(format: str, tmp_path: Path) -> None:
    World(7).do(3)
    text, printed, file = written(format), StringIO(), tmp_path / "ledger"
    assert text == written(format)
    call_command("export_ledger", format=format, stdout=printed)
    call_command("export_ledger", format=format, out=file)
    assert printed.getvalue() == text
    assert file.read_bytes() == text.encode()


def test_currencies_keep_their_digits_and_share_account_names() -> None:
    pay("yen", currency="JPY")
    pay("dinars", currency="KWD")
    pay("pence")
    text = written("beancount")
    loaded(text)
    assert " 1 JPY" in text
    assert " 0.001 KWD" in text
    assert text.count("open Assets:House:External") == 1
    assert len(hledger_entries(written("hledger"))) == 3 + Account.objects.count()


@pytest.mark.parametrize("format", ["hledger", "beancount"])
def test_a_ledger_without_transfers_is_exported(format: str) -> None:
    cash(uuid4())
    loaded(written("beancount"))
    assert len(hledger_entries(written("hledger"))) == Account.objects.count()


@given(st.lists(st.text("ab-_.9", min_size=1, max_size=6), min_size=2, max_size=8, unique=True))
def test_different_accounts_have_different_names(keys: list[str]) -> None:
    assert len({account_name("game", key, "escrow") for key in keys}) == len(keys)
