"""Forgeries of an installation with raw SQL, each with the faults that an audit must find.

The triggers are dropped. A forgery changes rows, adjusts what a careful attacker would adjust, and yields the expected
faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import orjson
from django.db import connection
from django.db.models import F

from core.sql import stored
from disputes.models import Dispute, PinnedEvidence, Ruling
from eventstore import store
from eventstore.chain import GENESIS, canonical, event_hash
from eventstore.checkpoints import merkle
from eventstore.checkpoints import service as checkpoint
from eventstore.models import Checkpoint, CheckpointStream, Event, Stream
from games.early_access import STREAM as EARLY_ACCESS
from games.models import EarlyAccess, GameRecord, GameSecret, RevealedSeed, Seat
from ledger.models import Account, Bet, BuyIn, Division, GameStake, Hold, Payout, PayoutStep, Transfer
from tournaments.models import Award, Entry, Score, TableGame, Tournament, TournamentRole
from tournaments.models import Seat as TournamentSeat


@dataclass(frozen=True, slots=True)
class World:
    staked: GameRecord
    """Vegas Solitaire for a stake, collected."""
    running: GameRecord
    """Vegas Solitaire in play, with recorded early access."""
    pot: GameRecord
    """An ended and disputed Ace Race with two buy-ins."""
    race: GameRecord
    """Racing Aces with a market that is settled."""
    cup: Tournament
    dispute: Dispute
    """Decided, with pinned evidence."""
    last: int
    """The number of the last checkpoint."""


@dataclass(frozen=True, slots=True)
class ExpectedFault:
    """An expected fault; checkpoint 0 matches any."""

    part: str
    check: str
    subject: str = ""
    version: int | None = None
    checkpoint: int | None = None
    why: str = ""


Forge = Callable[[World], Iterator[ExpectedFault]]
FORGERIES: dict[str, Forge] = {}
BY_CHECKPOINT_ALONE: set[str] = set()


def forgery(forge: Forge) -> Forge:
    FORGERIES[forge.__name__.replace("_", " ")] = forge
    return forge


def self_consistent(forge: Forge) -> Forge:
    """Register a forgery after which all stored data is consistent, so that only checkpoints reveal it."""
    BY_CHECKPOINT_ALONE.add(forge.__name__.replace("_", " "))
    return forgery(forge)


# --- helpers -------------------------------------------------------------------------------------------


def game(of: GameRecord) -> str:
    return f"game:{of.pk}"


def of_stream(stream: UUID) -> Any:
    return Event.objects.filter(stream_id=stream)


def event(stream: UUID, version: int) -> Any:
    return of_stream(stream).filter(version=version)


def first(stream: UUID, type: str) -> int:
    return int(of_stream(stream).filter(type=type).order_by("version").values_list("version", flat=True)[0])


def rechain(stream: UUID, change: Callable[[dict[str, Any]], None] = lambda content: None) -> None:
    """Apply `change` to each event, then recompute versions, links, hashes, and the head."""
    rows = list(of_stream(stream).order_by("version").values())
    prev = GENESIS
    for version, row in enumerate(rows, start=1):
        content = {**row, "data": orjson.loads(bytes(row["data"])), "version": version}
        change(content)
        data = canonical(content["data"])
        parts = {name: content[name] for name in ("version", "type", "seat", "seal", "at")}
        hash = event_hash(stream=str(stream), data=data, prev=prev, **parts)
        event(stream, row["version"]).update(data=data, prev=prev, hash=hash, **parts)
        prev, at = hash, content["at"]
    Stream.objects.filter(pk=stream).update(version=len(rows), head_hash=prev, head_at=at)


def one_second_later(text: dict[str, Any]) -> None:
    """Move the time of an event by one second."""
    text["at"] = f"{text['at'][:17]}{(int(text['at'][17:19]) + 1) % 60:02}{text['at'][19:]}"


def insert(row: dict[str, Any]) -> None:
    """Insert an event with any position."""
    columns = ", ".join(row)
    values = ", ".join(["%s"] * len(row))
    own = " OVERRIDING SYSTEM VALUE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO eventstore_event ({columns}){own} VALUES ({values})",
            [stored(value) if isinstance(value, UUID) else value for value in row.values()],
        )


@contextmanager
def without_constraints(table: str, *names: str) -> Iterator[None]:
    """Bypass constraints, as an owner of the table can."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for name in names:
                cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
            yield
            return
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        yield
        cursor.execute("PRAGMA ignore_check_constraints = OFF")


def insert_copy(stream: UUID, of: int, **change: Any) -> None:
    [row] = event(stream, of).values()
    about = {
        "command_id": None,
        "command_fingerprint": None,
        "command_events": None,
        "actor": None,
        "token": None,
    }
    insert(row | about | change)


def change_amount(transfer: Transfer, amount: int) -> None:
    """Change the amount of a transfer and the balances that it affects."""
    more = amount - transfer.amount
    Transfer.objects.filter(pk=transfer.pk).update(amount=amount)
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") + more)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") + more)


def paid(reason: str, subject: str) -> Transfer:
    return Transfer.objects.filter(reason=reason, subject=subject).order_by("position")[0]


# --- single events -------------------------------------------------------------------------------------


@forgery
def an_event_changed(world: World) -> Iterator[ExpectedFault]:
    event(world.staked.pk, 7).update(type="flip")
    yield ExpectedFault("streams", "chain", game(world.staked), 7)
    yield ExpectedFault("games", "chain", game(world.staked), 7)


@forgery
def the_facts_of_an_event_changed(world: World) -> Iterator[ExpectedFault]:
    event(world.staked.pk, 7).update(data=b'{"move":{"type":"draw"},"facts":{"cards":["AS"]}}')
    yield ExpectedFault("streams", "chain", game(world.staked), 7)


@forgery
def an_event_changed_in_a_running_game(world: World) -> Iterator[ExpectedFault]:
    event(world.running.pk, 4).update(data=b'{"move":{"type":"draw"},"facts":{"cards":["AS"]}}')
    yield ExpectedFault("streams", "chain", game(world.running), 4)


@forgery
def an_event_changed_with_its_hash(world: World) -> Iterator[ExpectedFault]:
    [row] = event(world.staked.pk, 7).values()
    result = {"move": {"type": "draw"}, "facts": {"cards": ["AS"]}}
    parts = {name: row[name] for name in ("version", "type", "seat", "seal", "at", "prev")}
    hash = event_hash(stream=str(world.staked.pk), data=canonical(result), **parts)
    event(world.staked.pk, 7).update(data=canonical(result), hash=hash)
    yield ExpectedFault("streams", "chain", game(world.staked), 8)


@forgery
def an_event_removed(world: World) -> Iterator[ExpectedFault]:
    event(world.staked.pk, 7).delete()
    yield ExpectedFault("streams", "chain", game(world.staked), 8)


@forgery
def an_event_inserted(world: World) -> Iterator[ExpectedFault]:
    of_stream(world.staked.pk).filter(version__gt=7).update(version=F("version") + 1000)
    of_stream(world.staked.pk).filter(version__gt=1000).update(version=F("version") - 999)
    insert_copy(world.staked.pk, 7, version=8)
    yield ExpectedFault("streams", "chain", game(world.staked), 8)


@forgery
def an_event_appended_after_the_end(world: World) -> Iterator[ExpectedFault]:
    """The event is chained, and the head is moved."""
    last = store.head(world.staked.pk).version
    insert_copy(world.staked.pk, last, version=last + 1)
    rechain(world.staked.pk)
    yield ExpectedFault("games", "events", game(world.staked), last + 1)
    yield ExpectedFault("checkpoints", "kept", game(world.staked), last + 1, 1)


@forgery
def two_events_swapped(world: World) -> Iterator[ExpectedFault]:
    for version, other in ((6, 1000), (7, 6), (1000, 7)):
        event(world.staked.pk, version).update(version=other)
    yield ExpectedFault("streams", "chain", game(world.staked), 6)


@forgery
def the_time_of_an_event_changed(world: World) -> Iterator[ExpectedFault]:
    event(world.staked.pk, 7).update(at="2026-03-01T11:00:00.000000Z")
    yield ExpectedFault("streams", "order", game(world.staked), 7)


@forgery
def a_card_changed_in_a_sealed_part(world: World) -> Iterator[ExpectedFault]:
    """In a running game, where no hash covers it."""
    dealt = first(world.running.pk, "dealt")
    [private] = event(world.running.pk, dealt).values_list("private", flat=True)
    packs = orjson.loads(bytes(private))
    packs["packs"]["deck"].reverse()
    event(world.running.pk, dealt).update(private=canonical(packs))
    yield ExpectedFault("games", "deal", game(world.running), dealt)


@forgery
def a_sealed_part_removed(world: World) -> Iterator[ExpectedFault]:
    dealt = first(world.staked.pk, "dealt")
    event(world.staked.pk, dealt).update(private=None)
    yield ExpectedFault("games", "seals", game(world.staked), dealt)


# --- whole streams -------------------------------------------------------------------------------------


@forgery
def a_stream_truncated(world: World) -> Iterator[ExpectedFault]:
    last = store.head(world.staked.pk).version
    event(world.staked.pk, last).delete()
    yield ExpectedFault("streams", "head", game(world.staked), last - 1)


@self_consistent
def a_stream_truncated_with_its_head(world: World) -> Iterator[ExpectedFault]:
    """The last move of a running game is removed."""
    last = store.head(world.running.pk).version
    event(world.running.pk, last).delete()
    rechain(world.running.pk)
    yield ExpectedFault(
        "checkpoints", "kept", game(world.running), last - 1, 1, "this is not what was signed"
    )


@self_consistent
def a_stream_replaced_by_a_consistent_one(world: World) -> Iterator[ExpectedFault]:
    rechain(world.running.pk, one_second_later)
    last = store.head(world.running.pk).version
    yield ExpectedFault("checkpoints", "kept", game(world.running), last, 1, "this is not what was signed")


@self_consistent
def a_finished_game_replaced_by_a_consistent_one(world: World) -> Iterator[ExpectedFault]:
    rechain(world.race.pk, one_second_later)
    [at] = event(world.race.pk, store.head(world.race.pk).version).values_list("at", flat=True)
    GameRecord.objects.filter(pk=world.race.pk).update(ended_at=at)
    yield ExpectedFault(
        "checkpoints",
        "kept",
        game(world.race),
        store.head(world.race.pk).version,
        1,
        "this is not what was signed",
    )


@forgery
def a_head_moved(world: World) -> Iterator[ExpectedFault]:
    Stream.objects.filter(pk=world.staked.pk).update(head_hash="f" * 64)
    yield ExpectedFault("streams", "head", game(world.staked), store.head(world.staked.pk).version)


@forgery
def a_stream_of_another_kind(world: World) -> Iterator[ExpectedFault]:
    Stream.objects.filter(pk=world.staked.pk).update(kind="note")
    yield ExpectedFault("streams", "owner", f"note:{world.staked.pk}")


@forgery
def the_head_of_a_stream_removed(world: World) -> Iterator[ExpectedFault]:
    Stream.objects.filter(pk=world.staked.pk)._raw_delete("default")
    yield ExpectedFault("streams", "head", f"stream:{world.staked.pk}", first(world.staked.pk, "finished"))


@forgery
def a_stream_removed(world: World) -> Iterator[ExpectedFault]:
    of_stream(world.staked.pk).delete()
    Stream.objects.filter(pk=world.staked.pk).delete()
    yield ExpectedFault("games", "record", game(world.staked))
    yield ExpectedFault(
        "checkpoints", "kept", f"stream:{world.staked.pk}", None, 1, "what was signed is gone"
    )


@self_consistent
def a_game_removed_with_all_its_rows(world: World) -> Iterator[ExpectedFault]:
    of_stream(world.running.pk).delete()
    Stream.objects.filter(pk=world.running.pk).delete()
    for model in (Seat, GameSecret, EarlyAccess):
        model.objects.filter(game=world.running)._raw_delete("default")
    of_stream(EARLY_ACCESS).delete()
    Stream.objects.filter(pk=EARLY_ACCESS).delete()
    GameRecord.objects.filter(pk=world.running.pk)._raw_delete("default")
    yield ExpectedFault(
        "checkpoints", "kept", f"stream:{world.running.pk}", None, 1, "what was signed is gone"
    )


@forgery
def two_streams_swapped(world: World) -> Iterator[ExpectedFault]:
    """Each stream is consistent, but belongs to the other game."""
    one, other, between = world.staked.pk, world.running.pk, uuid4()
    for old, new in ((one, between), (other, one), (between, other)):
        of_stream(old).update(stream_id=new)
    yield ExpectedFault("streams", "chain", game(world.staked), 1)
    yield ExpectedFault("streams", "chain", game(world.running), 1)


@forgery
def a_stream_without_an_owner(world: World) -> Iterator[ExpectedFault]:
    stream = uuid4()
    Stream.objects.create(pk=stream, kind="game", version=1, head_hash="", head_at="")
    insert_copy(world.running.pk, 1, stream_id=stream, position=10**9)
    rechain(stream)
    yield ExpectedFault("streams", "owner", f"game:{stream}")


# --- rows of a game outside its stream ---------------------------------------------------------------------------


@forgery
def the_outcome_in_the_record_changed(world: World) -> Iterator[ExpectedFault]:
    GameRecord.objects.filter(pk=world.staked.pk).update(outcome={**world.staked.outcome, "winnings": 10**6})
    yield ExpectedFault("games", "record", game(world.staked))


@forgery
def the_commitment_in_the_record_changed(world: World) -> Iterator[ExpectedFault]:
    GameRecord.objects.filter(pk=world.running.pk).update(commitment="f" * 64)
    yield ExpectedFault("games", "record", game(world.running))


@forgery
def the_commitment_changed_in_record_and_stream(world: World) -> Iterator[ExpectedFault]:
    def change(given: dict[str, Any]) -> None:
        if given["type"] == "created":
            given["data"]["commitment"] = "f" * 64

    rechain(world.staked.pk, change)
    GameRecord.objects.filter(pk=world.staked.pk).update(commitment="f" * 64)
    yield ExpectedFault("games", "commitment", game(world.staked))


@forgery
def the_seed_changed(world: World) -> Iterator[ExpectedFault]:
    GameSecret.objects.filter(game=world.running).update(server_seed=bytes(32))
    yield ExpectedFault("games", "commitment", game(world.running))


@forgery
def a_running_game_marked_as_void(world: World) -> Iterator[ExpectedFault]:
    GameRecord.objects.filter(pk=world.running.pk).update(status="void", ended_at="2026-03-01T12:00:00Z")
    yield ExpectedFault("games", "record", game(world.running))


@forgery
def a_seat_given_to_another_player(world: World) -> Iterator[ExpectedFault]:
    one, other = Seat.objects.filter(game=world.pot).order_by("seat").values_list("player", flat=True)
    Seat.objects.filter(game=world.staked).update(player=other if one == world.staked.creator_id else one)
    yield ExpectedFault("games", "record", game(world.staked))


@forgery
def a_seat_removed(world: World) -> Iterator[ExpectedFault]:
    Seat.objects.filter(game=world.pot, seat=1)._raw_delete("default")
    yield ExpectedFault("games", "record", game(world.pot))


@forgery
def a_seat_of_a_tournament_marked_as_forfeited(world: World) -> Iterator[ExpectedFault]:
    of_the_cup = TableGame.objects.filter(table__round__tournament=world.cup)
    Seat.objects.filter(game=of_the_cup.values_list("game", flat=True)[0], seat=0).update(forfeited=True)
    yield ExpectedFault("tournaments", "record", f"tournament:{world.cup.pk}")


@forgery
def time_given_back_to_a_game_that_was_never_suspended(world: World) -> Iterator[ExpectedFault]:
    GameRecord.objects.filter(pk=world.running.pk).update(given_back=timedelta(hours=1))
    yield ExpectedFault("suspensions", "record", game(world.running))


@forgery
def an_early_access_removed(world: World) -> Iterator[ExpectedFault]:
    EarlyAccess.objects.all()._raw_delete("default")
    yield ExpectedFault("early-access", "record", f"audit:{EARLY_ACCESS}", 1)


@forgery
def an_early_access_of_another_person(world: World) -> Iterator[ExpectedFault]:
    EarlyAccess.objects.update(viewer=world.staked.creator_id)
    yield ExpectedFault("early-access", "record", f"audit:{EARLY_ACCESS}", 1)


@forgery
def an_early_access_for_another_reason(world: World) -> Iterator[ExpectedFault]:
    EarlyAccess.objects.update(reason="a dispute that does not exist")
    yield ExpectedFault("early-access", "record", f"audit:{EARLY_ACCESS}", 1)


# --- money ---------------------------------------------------------------------------------------------


@forgery
def a_balance_changed(world: World) -> Iterator[ExpectedFault]:
    account = paid("winnings", game(world.staked)).credit
    Account.objects.filter(pk=account.pk).update(credits=F("credits") + 1)
    yield ExpectedFault("ledger", "credits", account.text)


@forgery
def a_transfer_changed(world: World) -> Iterator[ExpectedFault]:
    Transfer.objects.filter(pk=paid("winnings", game(world.staked)).pk).update(amount=F("amount") + 1)
    yield ExpectedFault("games", "money", game(world.staked))


@forgery
def a_transfer_changed_with_its_balances(world: World) -> Iterator[ExpectedFault]:
    transfer = paid("winnings", game(world.staked))
    change_amount(transfer, transfer.amount + 1)
    yield ExpectedFault("games", "money", game(world.staked))
    yield ExpectedFault(
        "ledger", "the money of staked games", game(world.staked), first(world.staked.pk, "finished")
    )
    yield ExpectedFault(
        "checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed"
    )


@self_consistent
def a_deposit_changed_with_its_balances(world: World) -> Iterator[ExpectedFault]:
    """A deposit is recorded only by its transfer."""
    transfer = Transfer.objects.filter(reason="play money").order_by("position")[0]
    change_amount(transfer, transfer.amount + 1)
    yield ExpectedFault(
        "checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed"
    )


@self_consistent
def a_deposit_by_another_actor(world: World) -> Iterator[ExpectedFault]:
    transfer = Transfer.objects.filter(reason="play money").order_by("position")[0]
    Transfer.objects.filter(pk=transfer.pk).update(actor="nobody")
    yield ExpectedFault(
        "checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed"
    )


@forgery
def a_transfer_removed_with_its_balances(world: World) -> Iterator[ExpectedFault]:
    transfer = paid("winnings", game(world.staked))
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") - transfer.amount)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") - transfer.amount)
    Transfer.objects.filter(pk=transfer.pk)._raw_delete("default")
    yield ExpectedFault("games", "money", game(world.staked))
    yield ExpectedFault(
        "checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: what was signed is gone"
    )


@forgery
def winnings_paid_twice(world: World) -> Iterator[ExpectedFault]:
    transfer = paid("winnings", game(world.staked))
    again = Transfer.objects.get(pk=transfer.pk)
    again.pk, again.uuid, again.posting, again.key = None, uuid4(), uuid4(), "again"
    again.save(force_insert=True)
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") + transfer.amount)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") + transfer.amount)
    yield ExpectedFault("games", "money", game(world.staked))


@forgery
def the_held_amount_of_an_account_changed(world: World) -> Iterator[ExpectedFault]:
    account = Account.objects.filter(held__gt=0)[0]
    Account.objects.filter(pk=account.pk).update(held=0)
    yield ExpectedFault("ledger", "held", account.text)


@forgery
def a_hold_changed(world: World) -> Iterator[ExpectedFault]:
    hold = Hold.objects.filter(state="held")[0]
    Hold.objects.filter(pk=hold.pk).update(amount=F("amount") + 1)
    yield ExpectedFault("ledger", "held", hold.account.text)


@forgery
def a_buy_in_changed(world: World) -> Iterator[ExpectedFault]:
    part = BuyIn.objects.order_by("event")[0]
    BuyIn.objects.filter(pk=part.pk).update(amount=F("amount") + 1)
    yield ExpectedFault("ledger", f"the buy-in of player {part.player}", game(world.pot), part.event)


@forgery
def what_a_pot_returned_changed(world: World) -> Iterator[ExpectedFault]:
    part = BuyIn.objects.order_by("event")[0]
    BuyIn.objects.filter(pk=part.pk).update(returned=F("returned") + 1)
    [divided] = Division.objects.values_list("event", flat=True)
    yield ExpectedFault("ledger", f"what player {part.player} got back", game(world.pot), divided)


@forgery
def a_bet_changed(world: World) -> Iterator[ExpectedFault]:
    Bet.objects.update(stake=F("stake") + 1)
    yield ExpectedFault("ledger", "the money of markets", f"market:{Bet.objects.all()[0].runner.market_id}")


@forgery
def two_accounts_with_exchanged_owners(world: World) -> Iterator[ExpectedFault]:
    """The accounts of winner and loser are exchanged; the transfers are unchanged."""
    winning = paid("winnings", game(world.staked)).credit
    alike = Account.objects.filter(kind="player", purpose=winning.purpose, currency=winning.currency)
    other = alike.exclude(key=winning.key).order_by("pk")[0]
    for account, key in ((winning, "nobody"), (other, winning.key), (winning, other.key)):
        Account.objects.filter(pk=account.pk).update(key=key)
    yield ExpectedFault("games", "money", game(world.staked))
    yield ExpectedFault(
        "ledger", "the money of staked games", game(world.staked), first(world.staked.pk, "finished")
    )


@forgery
def a_hold_of_the_bank_for_a_game_released(world: World) -> Iterator[ExpectedFault]:
    """The amount can then be paid out, and a win can no longer be paid."""
    held = Hold.objects.filter(state="held", account__purpose="bank")[0]
    Account.objects.filter(pk=held.account_id).update(held=F("held") - held.amount)
    Hold.objects.filter(pk=held.pk).update(state="released", resolved_at=held.at, resolved_by="system")
    yield ExpectedFault("ledger", "what the bank holds for a game", held.subject)


@forgery
def a_stake_changed(world: World) -> Iterator[ExpectedFault]:
    held = Hold.objects.filter(state="held", account__purpose="bank")[0]
    GameStake.objects.filter(pk=held.subject.partition(":")[2]).update(stake=F("stake") + 1)
    yield ExpectedFault("ledger", "what the bank holds for a game", held.subject)


@forgery
def the_stake_and_winnings_of_a_settled_game_changed(world: World) -> Iterator[ExpectedFault]:
    """Only the rows that reports add up; the transfers are unchanged."""
    GameStake.objects.filter(pk=world.staked.pk).update(stake=F("stake") + 1, winnings=F("winnings") + 1)
    yield ExpectedFault("ledger", "the stake of a game", game(world.staked))
    yield ExpectedFault("ledger", "the winnings of a game", game(world.staked))


@forgery
def the_approver_of_a_payout_changed(world: World) -> Iterator[ExpectedFault]:
    """No event or transfer contains the approver, who is replaced by an uninvolved person."""
    [payout] = Payout.objects.all()
    PayoutStep.objects.filter(payout=payout, number=1).update(actor="player:zed")
    yield ExpectedFault("ledger", "step 2", payout.ledger_subject)


@forgery
def a_payout_approved_by_its_payee(world: World) -> Iterator[ExpectedFault]:
    [payout] = Payout.objects.all()
    with without_constraints("ledger_payoutstep", "payout_not_by_payee", "payout_maker_is_not_checker"):
        PayoutStep.objects.filter(payout=payout, becomes="approved").update(actor=payout.payee)
    yield ExpectedFault("ledger", "who approved by step 2", payout.ledger_subject)


# --- tournaments ---------------------------------------------------------------------------------------


def cup(world: World) -> str:
    return f"tournament:{world.cup.pk}"


@forgery
def a_pairing_changed(world: World) -> Iterator[ExpectedFault]:
    paired = first(world.cup.pk, "round-paired")
    [data] = event(world.cup.pk, paired).values_list("data", flat=True)
    content = orjson.loads(bytes(data))
    content["tables"][0].reverse()
    event(world.cup.pk, paired).update(data=canonical(content))
    yield ExpectedFault("streams", "chain", cup(world), paired)


@forgery
def a_pairing_changed_with_all_hashes(world: World) -> Iterator[ExpectedFault]:
    paired = first(world.cup.pk, "round-paired")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == paired:
            given["data"]["tables"][0].reverse()

    rechain(world.cup.pk, change)
    yield ExpectedFault("tournaments", "pairings", cup(world), paired)
    yield ExpectedFault("checkpoints", "kept", cup(world), store.head(world.cup.pk).version, 1)


@forgery
def the_players_of_a_table_changed(world: World) -> Iterator[ExpectedFault]:
    at = TournamentSeat.objects.filter(table__isnull=False)[0]
    bye = TournamentSeat.objects.filter(table=None, round=at.round)[0]
    for seat, entry in ((bye, -1), (at, bye.entry_id), (bye, at.entry_id)):
        TournamentSeat.objects.filter(pk=seat.pk).update(entry=entry)
    yield ExpectedFault("tournaments", "record", cup(world))


@forgery
def a_result_changed(world: World) -> Iterator[ExpectedFault]:
    closed = first(world.cup.pk, "round-closed")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == closed:
            given["data"]["results"].reverse()

    rechain(world.cup.pk, change)
    yield ExpectedFault("checkpoints", "kept", cup(world), store.head(world.cup.pk).version, 1)


@forgery
def the_score_of_a_game_changed(world: World) -> Iterator[ExpectedFault]:
    score = Score.objects.order_by("pk")[0]
    Score.objects.filter(pk=score.pk).update(measures=[measure + 1 for measure in score.measures])
    yield ExpectedFault("tournaments", "record", cup(world))


@forgery
def the_standings_changed(world: World) -> Iterator[ExpectedFault]:
    standings_version = first(world.cup.pk, "standings")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == standings_version:
            given["data"]["standings"].reverse()

    rechain(world.cup.pk, change)
    yield ExpectedFault("tournaments", "standings", cup(world), standings_version)


@forgery
def a_prize_changed(world: World) -> Iterator[ExpectedFault]:
    award = Award.objects.filter(entry__tournament=world.cup).order_by("-amount")[0]
    Award.objects.filter(pk=award.pk).update(amount=F("amount") + 1)
    yield ExpectedFault("tournaments", "record", cup(world))


@forgery
def an_entrant_changed(world: World) -> Iterator[ExpectedFault]:
    Entry.objects.filter(tournament=world.cup, number=1).update(client_seed="another")
    yield ExpectedFault("tournaments", "record", cup(world))


@forgery
def the_games_of_two_tables_swapped(world: World) -> Iterator[ExpectedFault]:
    one, other = TableGame.objects.filter(table__round__tournament=world.cup).order_by("pk")[:2]
    for row, played in ((one, uuid4()), (other, one.game), (one, other.game)):
        TableGame.objects.filter(pk=row.pk).update(game=played)
    yield ExpectedFault("tournaments", "deals", cup(world))


@forgery
def a_judge_without_an_event(world: World) -> Iterator[ExpectedFault]:
    """The judge could rule, and would leave no trace after the row is deleted."""
    given = {"player_id": world.staked.creator_id, "role": "judge", "given_at": world.cup.created_at}
    TournamentRole.objects.create(tournament=world.cup, **given)
    yield ExpectedFault("tournaments", "record", cup(world), why="the role of player")


@forgery
def a_game_moved_to_another_round(world: World) -> Iterator[ExpectedFault]:
    moved = GameRecord.objects.filter(tournament=world.cup.pk, round=1).order_by("pk")[0]
    GameRecord.objects.filter(pk=moved.pk).update(round=2)
    yield ExpectedFault("games", "tournament-seed", game(moved))
    yield ExpectedFault("tournaments", "seed", cup(world))


@forgery
def the_seed_of_a_tournament_changed(world: World) -> Iterator[ExpectedFault]:
    RevealedSeed.objects.filter(pk=world.cup.pk).update(seed=bytes(32))
    yield ExpectedFault("tournaments", "record", cup(world))


# --- disputes ------------------------------------------------------------------------------------------


def dispute(world: World) -> str:
    return f"dispute:{world.dispute.pk}"


@forgery
def a_claim_changed(world: World) -> Iterator[ExpectedFault]:
    Dispute.objects.update(claim="nothing at all")
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def a_ruling_changed(world: World) -> Iterator[ExpectedFault]:
    Ruling.objects.update(reason="because")
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def the_planned_effects_of_a_ruling_changed(world: World) -> Iterator[ExpectedFault]:
    """These are the effects that a second person would see before the approval."""
    [effects] = Ruling.objects.values_list("effects", flat=True)
    Ruling.objects.update(effects={**effects, "plays": "unchanged"})
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def evidence_changed(world: World) -> Iterator[ExpectedFault]:
    PinnedEvidence.objects.update(hash="f" * 64)
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def the_opening_of_a_dispute_moved_to_an_earlier_time(world: World) -> Iterator[ExpectedFault]:
    Dispute.objects.update(opened_at=F("opened_at") - timedelta(days=1))
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def a_ruling_moved_to_an_earlier_time(world: World) -> Iterator[ExpectedFault]:
    Ruling.objects.update(ruled_at=F("ruled_at") - timedelta(seconds=1))
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def the_time_to_appeal_extended(world: World) -> Iterator[ExpectedFault]:
    Dispute.objects.update(appeal_until=F("appeal_until") + timedelta(days=1))
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def the_end_of_a_dispute_moved_to_a_later_time(world: World) -> Iterator[ExpectedFault]:
    Dispute.objects.update(ended_at=F("ended_at") + timedelta(microseconds=1))
    yield ExpectedFault("disputes", "record", dispute(world))


@forgery
def a_dispute_removed(world: World) -> Iterator[ExpectedFault]:
    for model in (PinnedEvidence, Ruling, Dispute):
        model.objects.all()._raw_delete("default")  # type: ignore[attr-defined]
    yield ExpectedFault("streams", "owner", dispute(world))


@forgery
def the_event_of_a_ruling_changed(world: World) -> Iterator[ExpectedFault]:
    ruled = first(world.dispute.pk, "ruled")
    event(world.dispute.pk, ruled).update(type="withdrawn")
    yield ExpectedFault("streams", "chain", dispute(world), ruled)


@self_consistent
def a_ruling_changed_in_record_and_stream(world: World) -> Iterator[ExpectedFault]:
    def change(given: dict[str, Any]) -> None:
        if "reason" in given["data"]:
            given["data"]["reason"] = "because"

    rechain(world.dispute.pk, change)
    Ruling.objects.update(reason="because")
    yield ExpectedFault(
        "checkpoints", "kept", dispute(world), store.head(world.dispute.pk).version, world.last
    )


# --- checkpoints ---------------------------------------------------------------------------------------


@forgery
def a_signature_changed(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.filter(number=1).update(signature="0" * 128)
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "the signature does not fit")


@forgery
def a_signed_body_changed(world: World) -> Iterator[ExpectedFault]:
    [body] = Checkpoint.objects.filter(number=1).values_list("body", flat=True)
    Checkpoint.objects.filter(number=1).update(body=bytes(body).replace(b'"leaves":', b'"leaves":1'))
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "the hash is not that of the body")


@forgery
def a_signed_body_that_is_not_text(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.filter(number=1).update(body=b"\xff\x00")
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "the hash is not that of the body")


@self_consistent
def events_moved_behind_the_last_checkpoint(world: World) -> Iterator[ExpectedFault]:
    """The game appears to have been played later, so that no checkpoint covers it."""
    moved = {"position": F("position") + 1_000_000}
    # On PostgreSQL, events are ordered by transaction first, and the column is always generated.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE eventstore_event ALTER COLUMN position SET GENERATED BY DEFAULT")
        moved["xact"] = F("xact") + 1_000_000
    of_stream(world.running.pk).update(**moved)
    yield ExpectedFault("checkpoints", "kept", game(world.running), None, 1, "what was signed is gone")


@forgery
def checkpoint_entries_changed(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.filter(number=1).update(leaves=bytes(48))
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "are not those that were signed")


@forgery
def a_stream_removed_from_the_index_of_entries(world: World) -> Iterator[ExpectedFault]:
    CheckpointStream.objects.filter(number=1, stream=world.running.pk).delete()
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "1 of its entries are not indexed by stream")


@forgery
def the_first_checkpoint_removed(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.filter(number=1).delete()
    yield ExpectedFault("checkpoints", "kept", "", None, 2, "checkpoint 1 is missing")


@forgery
def the_last_checkpoint_removed(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.filter(number=world.last).delete()
    yield ExpectedFault("checkpoints", "published", "", None, world.last, "the database is older than it")


@forgery
def all_checkpoints_removed(world: World) -> Iterator[ExpectedFault]:
    Checkpoint.objects.all().delete()
    yield ExpectedFault("checkpoints", "published", "", None, 1, "the database is older than it")


@forgery
def checkpoints_swapped(world: World) -> Iterator[ExpectedFault]:
    for number, other in ((1, 1000), (2, 1), (1000, 2)):
        Checkpoint.objects.filter(number=number).update(number=other)
    yield ExpectedFault("checkpoints", "kept", "", None, 1, "by its body it is checkpoint 2")
    yield ExpectedFault("checkpoints", "kept", "", None, 2, "by its body it is checkpoint 1")


@self_consistent
def a_history_rewritten_and_signed_again(world: World) -> Iterator[ExpectedFault]:
    """Done by an operator who has the key. Only published checkpoints reveal it."""
    rechain(world.running.pk, one_second_later)
    previous = GENESIS
    for one in Checkpoint.objects.order_by("number"):
        content = {**orjson.loads(bytes(one.body)), "previous": previous}
        leaves = b""
        for name, part in sorted(content["sources"].items()):
            found = _leaves(name, part)
            hashes = [merkle.leaf_hash(leaf.content) for leaf in found]
            part["root"] = merkle.root(hashes).hex()
            leaves += b"".join(hash + leaf.id for hash, leaf in zip(hashes, found, strict=True))
        body = canonical(content)
        previous = merkle.leaf_hash(body).hex()
        Checkpoint.objects.filter(pk=one.pk).update(
            body=body, hash=previous, leaves=leaves, signature=checkpoint.signing_key().sign(body).hex()
        )
    yield ExpectedFault(
        "checkpoints", "published", "", None, 1, "another one was published under this number"
    )


def _leaves(name: str, part: dict[str, Any]) -> list[checkpoint.Leaf]:
    after, until = part["after"], part["until"]
    source = checkpoint._sources[name]
    return list(source.leaves(store.Position(*after) if after else None, store.Position(*until)))
