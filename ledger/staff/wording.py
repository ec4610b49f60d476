"""Accounts, transfers, and balances in words, for previews."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ledger.betting.models import Bet
from ledger.hooks import runner_names
from ledger.models import Account, OwnerKind, Purpose, Transfer, table_name
from ledger.money import money
from staff import subjects
from staff.actions import Change, Movement

OF_PEOPLE = {
    Purpose.CASH: "wallet",
    Purpose.SESSION: "money in play",
    Purpose.RECEIVABLE: "debt to the site",
    Purpose.ESCROW: "stakes",
    Purpose.PAYABLE: "prizes to be paid",
}
OF_SITE = {
    Purpose.EXTERNAL: "Outside the site",
    Purpose.PAYABLE: "Prizes not paid out",
    Purpose.RAKE: "Rake of the site",
    Purpose.TAKEOUT: "Takeout of the site",
    Purpose.BREAKAGE: "Breakage of the site",
    Purpose.PROMOTION: "Promotion of the site",
}
BALANCES = {
    OwnerKind.PLAYER: frozenset({Purpose.CASH, Purpose.SESSION, Purpose.PAYABLE, Purpose.RECEIVABLE}),
    OwnerKind.HOUSE: frozenset({Purpose.BANK}),
}
"""Accounts whose balance means something to a person. The others pass money on."""


def names(accounts: Iterable[Account]) -> dict[int, str]:
    """Return each account in words, by id: whose it is, and what for. At most one query for each kind of owner."""
    known = {account.pk: account for account in accounts}
    links = subjects.links(account.owner for account in known.values())
    return {pk: _named(account, links) for pk, account in known.items()}


def _named(account: Account, links: Mapping[str, subjects.Link]) -> str:
    if account.kind == OwnerKind.HOUSE:
        if account.purpose == Purpose.BANK:
            return f"Bank of {table_name(account.key)}"
        return OF_SITE[Purpose(account.purpose)]
    owner = links[account.owner].text
    what = OF_PEOPLE.get(Purpose(account.purpose), account.get_purpose_display().lower())
    return f"{owner}: {what}"


def names_of_texts(texts: Iterable[str]) -> dict[str, str]:
    """Return accounts in words by their text, such as `house/external`. At most one query for each kind of owner."""
    accounts = {}
    for text in texts:
        owner, _, purpose = text.rpartition("/")
        kind, _, key = owner.partition(":")
        accounts[text] = Account(kind=kind, key=key, purpose=purpose)
    links = subjects.links(account.owner for account in accounts.values())
    return {text: _named(account, links) for text, account in accounts.items()}


OWNERS = {
    OwnerKind.PLAYER: "Players",
    OwnerKind.GAME: "Games",
    OwnerKind.MARKET: "Markets",
    OwnerKind.TOURNAMENT: "Tournaments",
    OwnerKind.PLAY: "Play money",
}


def type_of_account(kind: str, purpose: str) -> str:
    """Return all accounts of an owner's kind and a purpose in words.

    >>> type_of_account("player", "cash"), type_of_account("house", "external")
    ('Players: wallet', 'Outside the site')
    """
    if kind == OwnerKind.HOUSE:
        return "Banks" if purpose == Purpose.BANK else OF_SITE[Purpose(purpose)]
    return f"{OWNERS[OwnerKind(kind)]}: {OF_PEOPLE.get(Purpose(purpose), purpose)}"


ON_SUBJECT = re.compile(r" on \w+ [0-9a-f]{8}-[0-9a-f-]{27}\b")


def plain_reason(reason: str) -> str:
    """Return the reason of a transfer without the id of its subject.

    >>> plain_reason("ruling 1 on dispute 0190b8a2-7c1e-7000-8000-000000000001")
    'ruling 1'
    """
    return ON_SUBJECT.sub("", reason)


def movements(transfers: Sequence[Transfer]) -> list[Movement]:
    """Return transfers in words."""
    known = names(account for each in transfers for account in (each.debit, each.credit))
    return [
        Movement(
            known[each.debit_id],
            known[each.credit_id],
            money(each.amount, each.currency),
            plain_reason(each.reason),
            f"{each.debit.text} → {each.credit.text}",
        )
        for each in transfers
    ]


def changes(transfers: Sequence[Transfer]) -> list[Change]:
    """Return the balances of people and banks before and after transfers that have just been posted."""
    net: Counter[int] = Counter()
    for each in transfers:
        net[each.debit_id] -= each.amount
        net[each.credit_id] += each.amount
    accounts = Account.objects.filter(pk__in=net).order_by("pk")
    shown = [one for one in accounts if one.purpose in BALANCES.get(OwnerKind(one.kind), ())]
    known = names(shown)
    return [balance_change(known[one.pk], one.total - net[one.pk], one.total, one.currency) for one in shown]


def balance_change(what: str, before: int, after: int, currency: str) -> Change:
    return Change(what, money(before, currency), money(after, currency))


def runners(bets: Sequence[Bet]) -> list[str]:
    """Return the runner that each bet backs, as staff read it. Runners are named once for each market's subject."""
    backed: dict[str, set[str]] = {}
    for bet in bets:
        backed.setdefault(bet.market.subject, set()).add(bet.runner.name)
    named = {subject: runner_names(subject, names) for subject, names in backed.items()}
    return [named[bet.market.subject][bet.runner.name] for bet in bets]
