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

from disputes.models import Dispute, PinnedEvidence, Ruling
from eventstore import store
from eventstore.chain import GENESIS, canonical, event_hash
from eventstore.checkpoints import merkle
from eventstore.checkpoints import service as checkpoint
from eventstore.models import Checkpoint, Event, Stream
from games.early_access import STREAM as LOOKS
from games.models import EarlyAccess, GameRecord, GameSecret, RevealedSeed, Seat
from ledger.models import Account, Bet, BuyIn, Division, GameStake, Hold, Payout, PayoutStep, Transfer
from ledger.sql import stored
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
class Named:
    """An expected fault; checkpoint 0 matches any."""

    part: str
    check: str
    subject: str = ""
    version: int | None = None
    checkpoint: int | None = None
    why: str = ""


Forge = Callable[[World], Iterator[Named]]
FORGERIES: dict[str, Forge] = {}
BY_CHECKPOINT_ALONE: set[str] = set()


def forgery(forge: Forge) -> Forge:
    FORGERIES[forge.__name__.replace("_", " ")] = forge
    return forge


def self_consistent(forge: Forge) -> Forge:
    """One by which everything agrees with everything, but for what was signed."""
    BY_CHECKPOINT_ALONE.add(forge.__name__.replace("_", " "))
    return forgery(forge)


# --- the forger's tools --------------------------------------------------------------------------------


def game(of: GameRecord) -> str:
    return f"game:{of.pk}"


def of_stream(stream: UUID) -> Any:
    return Event.objects.filter(stream_id=stream)


def event(stream: UUID, version: int) -> Any:
    return of_stream(stream).filter(version=version)


def first(stream: UUID, type: str) -> int:
    return int(of_stream(stream).filter(type=type).order_by("version").values_list("version", flat=True)[0])


def rechain(stream: UUID, change: Callable[[dict[str, Any]], None] = lambda content: None) -> None:
    """Each event changed at will, and every version, link, hash and the head as they then have to be."""
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


def later(text: dict[str, Any]) -> None:
    """The same, a second after."""
    text["at"] = f"{text['at'][:17]}{(int(text['at'][17:19]) + 1) % 60:02}{text['at'][19:]}"


def put(row: dict[str, Any]) -> None:
    """An event of the forger's own, numbered as he likes."""
    columns = ", ".join(row)
    values = ", ".join(["%s"] * len(row))
    own = " OVERRIDING SYSTEM VALUE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO eventstore_event ({columns}){own} VALUES ({values})",
            [stored(value) if isinstance(value, UUID) else value for value in row.values()],
        )


@contextmanager
def past_checks(table: str, *names: str) -> Iterator[None]:
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


def copied(stream: UUID, of: int, **change: Any) -> None:
    [row] = event(stream, of).values()
    about = {
        "command_id": None,
        "command_fingerprint": None,
        "command_events": None,
        "actor": None,
        "token": None,
    }
    put(row | about | change)


def rebalanced(transfer: Transfer, amount: int) -> None:
    """The transfer is of another amount, and so are the balances that it touched."""
    more = amount - transfer.amount
    Transfer.objects.filter(pk=transfer.pk).update(amount=amount)
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") + more)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") + more)


def paid(reason: str, subject: str) -> Transfer:
    return Transfer.objects.filter(reason=reason, subject=subject).order_by("position")[0]


# --- one event -----------------------------------------------------------------------------------------


@forgery
def an_event_changed(world: World) -> Iterator[Named]:
    event(world.staked.pk, 7).update(type="flip")
    yield Named("streams", "chain", game(world.staked), 7)
    yield Named("games", "chain", game(world.staked), 7)


@forgery
def the_facts_of_an_event_changed(world: World) -> Iterator[Named]:
    event(world.staked.pk, 7).update(data=b'{"move":{"type":"draw"},"facts":{"cards":["AS"]}}')
    yield Named("streams", "chain", game(world.staked), 7)


@forgery
def an_event_changed_in_a_running_game(world: World) -> Iterator[Named]:
    event(world.running.pk, 4).update(data=b'{"move":{"type":"draw"},"facts":{"cards":["AS"]}}')
    yield Named("streams", "chain", game(world.running), 4)


@forgery
def an_event_changed_with_its_hash(world: World) -> Iterator[Named]:
    [row] = event(world.staked.pk, 7).values()
    result = {"move": {"type": "draw"}, "facts": {"cards": ["AS"]}}
    parts = {name: row[name] for name in ("version", "type", "seat", "seal", "at", "prev")}
    hash = event_hash(stream=str(world.staked.pk), data=canonical(result), **parts)
    event(world.staked.pk, 7).update(data=canonical(result), hash=hash)
    yield Named("streams", "chain", game(world.staked), 8)


@forgery
def an_event_removed(world: World) -> Iterator[Named]:
    event(world.staked.pk, 7).delete()
    yield Named("streams", "chain", game(world.staked), 8)


@forgery
def an_event_put_in_between(world: World) -> Iterator[Named]:
    of_stream(world.staked.pk).filter(version__gt=7).update(version=F("version") + 1000)
    of_stream(world.staked.pk).filter(version__gt=1000).update(version=F("version") - 999)
    copied(world.staked.pk, 7, version=8)
    yield Named("streams", "chain", game(world.staked), 8)


@forgery
def an_event_put_behind_the_end(world: World) -> Iterator[Named]:
    """With everything as it has to be: chained, and the head moved."""
    last = store.head(world.staked.pk).version
    copied(world.staked.pk, last, version=last + 1)
    rechain(world.staked.pk)
    yield Named("games", "events", game(world.staked), last + 1)
    yield Named("checkpoints", "kept", game(world.staked), last + 1, 1)


@forgery
def two_events_swapped(world: World) -> Iterator[Named]:
    for version, other in ((6, 1000), (7, 6), (1000, 7)):
        event(world.staked.pk, version).update(version=other)
    yield Named("streams", "chain", game(world.staked), 6)


@forgery
def the_time_of_an_event_changed(world: World) -> Iterator[Named]:
    event(world.staked.pk, 7).update(at="2026-03-01T11:00:00.000000Z")
    yield Named("streams", "order", game(world.staked), 7)


@forgery
def a_card_exchanged_in_what_is_sealed(world: World) -> Iterator[Named]:
    """Of a running game: nothing of it is hashed."""
    dealt = first(world.running.pk, "dealt")
    [private] = event(world.running.pk, dealt).values_list("private", flat=True)
    packs = orjson.loads(bytes(private))
    packs["packs"]["deck"].reverse()
    event(world.running.pk, dealt).update(private=canonical(packs))
    yield Named("games", "deal", game(world.running), dealt)


@forgery
def what_is_sealed_removed(world: World) -> Iterator[Named]:
    dealt = first(world.staked.pk, "dealt")
    event(world.staked.pk, dealt).update(private=None)
    yield Named("games", "seals", game(world.staked), dealt)


# --- a whole stream ------------------------------------------------------------------------------------


@forgery
def a_stream_cut_off_at_the_end(world: World) -> Iterator[Named]:
    last = store.head(world.staked.pk).version
    event(world.staked.pk, last).delete()
    yield Named("streams", "head", game(world.staked), last - 1)


@self_consistent
def a_stream_cut_off_with_its_head(world: World) -> Iterator[Named]:
    """A move of a running game that never was."""
    last = store.head(world.running.pk).version
    event(world.running.pk, last).delete()
    rechain(world.running.pk)
    yield Named("checkpoints", "kept", game(world.running), last - 1, 1, "this is not what was signed")


@self_consistent
def a_stream_replaced_by_a_whole_one(world: World) -> Iterator[Named]:
    rechain(world.running.pk, later)
    last = store.head(world.running.pk).version
    yield Named("checkpoints", "kept", game(world.running), last, 1, "this is not what was signed")


@self_consistent
def a_finished_game_replaced_by_a_whole_one(world: World) -> Iterator[Named]:
    rechain(world.race.pk, later)
    [at] = event(world.race.pk, store.head(world.race.pk).version).values_list("at", flat=True)
    GameRecord.objects.filter(pk=world.race.pk).update(ended_at=at)
    yield Named(
        "checkpoints",
        "kept",
        game(world.race),
        store.head(world.race.pk).version,
        1,
        "this is not what was signed",
    )


@forgery
def a_head_moved(world: World) -> Iterator[Named]:
    Stream.objects.filter(pk=world.staked.pk).update(head_hash="f" * 64)
    yield Named("streams", "head", game(world.staked), store.head(world.staked.pk).version)


@forgery
def a_stream_called_another(world: World) -> Iterator[Named]:
    Stream.objects.filter(pk=world.staked.pk).update(kind="note")
    yield Named("streams", "owner", f"note:{world.staked.pk}")


@forgery
def the_head_of_a_stream_removed(world: World) -> Iterator[Named]:
    Stream.objects.filter(pk=world.staked.pk)._raw_delete("default")
    yield Named("streams", "head", f"stream:{world.staked.pk}", first(world.staked.pk, "finished"))


@forgery
def a_stream_removed(world: World) -> Iterator[Named]:
    of_stream(world.staked.pk).delete()
    Stream.objects.filter(pk=world.staked.pk).delete()
    yield Named("games", "record", game(world.staked))
    yield Named("checkpoints", "kept", f"stream:{world.staked.pk}", None, 1, "what was signed is gone")


@self_consistent
def a_game_removed_with_all_that_is_beside_it(world: World) -> Iterator[Named]:
    of_stream(world.running.pk).delete()
    Stream.objects.filter(pk=world.running.pk).delete()
    for model in (Seat, GameSecret, EarlyAccess):
        model.objects.filter(game=world.running)._raw_delete("default")
    of_stream(LOOKS).delete()
    Stream.objects.filter(pk=LOOKS).delete()
    GameRecord.objects.filter(pk=world.running.pk)._raw_delete("default")
    yield Named("checkpoints", "kept", f"stream:{world.running.pk}", None, 1, "what was signed is gone")


@forgery
def two_streams_swapped(world: World) -> Iterator[Named]:
    """Each whole in itself, but not that of its game."""
    one, other, between = world.staked.pk, world.running.pk, uuid4()
    for old, new in ((one, between), (other, one), (between, other)):
        of_stream(old).update(stream_id=new)
    yield Named("streams", "chain", game(world.staked), 1)
    yield Named("streams", "chain", game(world.running), 1)


@forgery
def a_stream_that_nobody_made(world: World) -> Iterator[Named]:
    stream = uuid4()
    Stream.objects.create(pk=stream, kind="game", version=1, head_hash="", head_at="")
    copied(world.running.pk, 1, stream_id=stream, position=10**9)
    rechain(stream)
    yield Named("streams", "owner", f"game:{stream}")


# --- rows of a game outside its stream ---------------------------------------------------------------------------


@forgery
def the_outcome_in_the_record_changed(world: World) -> Iterator[Named]:
    GameRecord.objects.filter(pk=world.staked.pk).update(outcome={**world.staked.outcome, "winnings": 10**6})
    yield Named("games", "record", game(world.staked))


@forgery
def the_commitment_in_the_record_changed(world: World) -> Iterator[Named]:
    GameRecord.objects.filter(pk=world.running.pk).update(commitment="f" * 64)
    yield Named("games", "record", game(world.running))


@forgery
def the_commitment_changed_everywhere(world: World) -> Iterator[Named]:
    def change(given: dict[str, Any]) -> None:
        if given["type"] == "created":
            given["data"]["commitment"] = "f" * 64

    rechain(world.staked.pk, change)
    GameRecord.objects.filter(pk=world.staked.pk).update(commitment="f" * 64)
    yield Named("games", "commitment", game(world.staked))


@forgery
def the_seed_changed(world: World) -> Iterator[Named]:
    GameSecret.objects.filter(game=world.running).update(server_seed=bytes(32))
    yield Named("games", "commitment", game(world.running))


@forgery
def a_game_said_to_be_over(world: World) -> Iterator[Named]:
    GameRecord.objects.filter(pk=world.running.pk).update(status="void", ended_at="2026-03-01T12:00:00Z")
    yield Named("games", "record", game(world.running))


@forgery
def a_seat_given_to_another(world: World) -> Iterator[Named]:
    one, other = Seat.objects.filter(game=world.pot).order_by("seat").values_list("player", flat=True)
    Seat.objects.filter(game=world.staked).update(player=other if one == world.staked.creator_id else one)
    yield Named("games", "record", game(world.staked))


@forgery
def a_seat_removed(world: World) -> Iterator[Named]:
    Seat.objects.filter(game=world.pot, seat=1)._raw_delete("default")
    yield Named("games", "record", game(world.pot))


@forgery
def a_seat_of_a_tournament_that_the_server_is_to_play_for(world: World) -> Iterator[Named]:
    of_the_cup = TableGame.objects.filter(table__round__tournament=world.cup)
    Seat.objects.filter(game=of_the_cup.values_list("game", flat=True)[0], seat=0).update(forfeited=True)
    yield Named("tournaments", "record", f"tournament:{world.cup.pk}")


@forgery
def time_given_back_to_a_game_that_never_stood_still(world: World) -> Iterator[Named]:
    GameRecord.objects.filter(pk=world.running.pk).update(given_back=timedelta(hours=1))
    yield Named("suspensions", "record", game(world.running))


@forgery
def an_early_look_removed(world: World) -> Iterator[Named]:
    EarlyAccess.objects.all()._raw_delete("default")
    yield Named("early-access", "record", f"audit:{LOOKS}", 1)


@forgery
def an_early_look_of_somebody_else(world: World) -> Iterator[Named]:
    EarlyAccess.objects.update(viewer=world.staked.creator_id)
    yield Named("early-access", "record", f"audit:{LOOKS}", 1)


@forgery
def an_early_look_for_another_reason(world: World) -> Iterator[Named]:
    EarlyAccess.objects.update(reason="a dispute that there never was")
    yield Named("early-access", "record", f"audit:{LOOKS}", 1)


# --- money ---------------------------------------------------------------------------------------------


@forgery
def a_balance_changed(world: World) -> Iterator[Named]:
    account = paid("winnings", game(world.staked)).credit
    Account.objects.filter(pk=account.pk).update(credits=F("credits") + 1)
    yield Named("ledger", "credits", account.text)


@forgery
def a_transfer_changed(world: World) -> Iterator[Named]:
    Transfer.objects.filter(pk=paid("winnings", game(world.staked)).pk).update(amount=F("amount") + 1)
    yield Named("games", "money", game(world.staked))


@forgery
def a_transfer_changed_with_the_balances_it_touched(world: World) -> Iterator[Named]:
    transfer = paid("winnings", game(world.staked))
    rebalanced(transfer, transfer.amount + 1)
    yield Named("games", "money", game(world.staked))
    yield Named("ledger", "the money of staked games", game(world.staked), first(world.staked.pk, "finished"))
    yield Named("checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed")


@self_consistent
def a_deposit_changed_with_the_balances_it_touched(world: World) -> Iterator[Named]:
    """Only its own transfer records it."""
    transfer = Transfer.objects.filter(reason="play money").order_by("position")[0]
    rebalanced(transfer, transfer.amount + 1)
    yield Named("checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed")


@self_consistent
def a_deposit_that_is_somebody_elses(world: World) -> Iterator[Named]:
    transfer = Transfer.objects.filter(reason="play money").order_by("position")[0]
    Transfer.objects.filter(pk=transfer.pk).update(actor="nobody")
    yield Named("checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: this is not what was signed")


@forgery
def a_transfer_removed_with_the_balances_it_touched(world: World) -> Iterator[Named]:
    transfer = paid("winnings", game(world.staked))
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") - transfer.amount)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") - transfer.amount)
    Transfer.objects.filter(pk=transfer.pk)._raw_delete("default")
    yield Named("games", "money", game(world.staked))
    yield Named("checkpoints", "kept", "", None, 1, f"transfers {transfer.uuid}: what was signed is gone")


@forgery
def winnings_paid_twice(world: World) -> Iterator[Named]:
    transfer = paid("winnings", game(world.staked))
    again = Transfer.objects.get(pk=transfer.pk)
    again.pk, again.uuid, again.posting, again.key = None, uuid4(), uuid4(), "again"
    again.save(force_insert=True)
    Account.objects.filter(pk=transfer.debit_id).update(debits=F("debits") + transfer.amount)
    Account.objects.filter(pk=transfer.credit_id).update(credits=F("credits") + transfer.amount)
    yield Named("games", "money", game(world.staked))


@forgery
def money_that_is_held_no_more(world: World) -> Iterator[Named]:
    account = Account.objects.filter(held__gt=0)[0]
    Account.objects.filter(pk=account.pk).update(held=0)
    yield Named("ledger", "held", account.text)


@forgery
def a_hold_changed(world: World) -> Iterator[Named]:
    hold = Hold.objects.filter(state="held")[0]
    Hold.objects.filter(pk=hold.pk).update(amount=F("amount") + 1)
    yield Named("ledger", "held", hold.account.text)


@forgery
def a_buy_in_changed(world: World) -> Iterator[Named]:
    part = BuyIn.objects.order_by("event")[0]
    BuyIn.objects.filter(pk=part.pk).update(amount=F("amount") + 1)
    yield Named("ledger", f"the buy-in of player {part.player}", game(world.pot), part.event)


@forgery
def what_a_pot_gave_changed(world: World) -> Iterator[Named]:
    part = BuyIn.objects.order_by("event")[0]
    BuyIn.objects.filter(pk=part.pk).update(returned=F("returned") + 1)
    [divided] = Division.objects.values_list("event", flat=True)
    yield Named("ledger", f"what player {part.player} got back", game(world.pot), divided)


@forgery
def a_bet_changed(world: World) -> Iterator[Named]:
    Bet.objects.update(stake=F("stake") + 1)
    yield Named("ledger", "the money of markets", f"market:{Bet.objects.all()[0].runner.market_id}")


@forgery
def two_accounts_that_change_owners(world: World) -> Iterator[Named]:
    """Winner and loser exchanged; transfers unchanged."""
    winning = paid("winnings", game(world.staked)).credit
    alike = Account.objects.filter(kind="player", purpose=winning.purpose, currency=winning.currency)
    other = alike.exclude(key=winning.key).order_by("pk")[0]
    for account, key in ((winning, "nobody"), (other, winning.key), (winning, other.key)):
        Account.objects.filter(pk=account.pk).update(key=key)
    yield Named("games", "money", game(world.staked))
    yield Named("ledger", "the money of staked games", game(world.staked), first(world.staked.pk, "finished"))


@forgery
def what_a_bank_holds_for_a_game_let_go(world: World) -> Iterator[Named]:
    """So that it can be paid out, and a win cannot."""
    held = Hold.objects.filter(state="held", account__purpose="bank")[0]
    Account.objects.filter(pk=held.account_id).update(held=F("held") - held.amount)
    Hold.objects.filter(pk=held.pk).update(state="released", resolved_at=held.at, resolved_by="system")
    yield Named("ledger", "what the bank holds for a game", held.subject)


@forgery
def a_stake_changed(world: World) -> Iterator[Named]:
    held = Hold.objects.filter(state="held", account__purpose="bank")[0]
    GameStake.objects.filter(pk=held.subject.partition(":")[2]).update(stake=F("stake") + 1)
    yield Named("ledger", "what the bank holds for a game", held.subject)


@forgery
def what_a_settled_game_took_and_paid_changed(world: World) -> Iterator[Named]:
    """The rows that reports add up; the transfers stay as they are."""
    GameStake.objects.filter(pk=world.staked.pk).update(stake=F("stake") + 1, winnings=F("winnings") + 1)
    yield Named("ledger", "the stake of a game", game(world.staked))
    yield Named("ledger", "the winnings of a game", game(world.staked))


@forgery
def who_approved_a_payout_changed(world: World) -> Iterator[Named]:
    """Assigned to a person without a part in it; no event or transfer contains that."""
    [payout] = Payout.objects.all()
    PayoutStep.objects.filter(payout=payout, number=1).update(actor="player:zed")
    yield Named("ledger", "step 2", payout.ledger_subject)


@forgery
def a_payout_approved_by_who_is_paid(world: World) -> Iterator[Named]:
    [payout] = Payout.objects.all()
    with past_checks("ledger_payoutstep", "payout_not_by_payee", "payout_maker_is_not_checker"):
        PayoutStep.objects.filter(payout=payout, becomes="approved").update(actor=payout.payee)
    yield Named("ledger", "who approved by step 2", payout.ledger_subject)


# --- a tournament --------------------------------------------------------------------------------------


def cup(world: World) -> str:
    return f"tournament:{world.cup.pk}"


@forgery
def a_pairing_changed(world: World) -> Iterator[Named]:
    paired = first(world.cup.pk, "round-paired")
    [data] = event(world.cup.pk, paired).values_list("data", flat=True)
    content = orjson.loads(bytes(data))
    content["tables"][0].reverse()
    event(world.cup.pk, paired).update(data=canonical(content))
    yield Named("streams", "chain", cup(world), paired)


@forgery
def a_pairing_changed_with_the_whole_chain(world: World) -> Iterator[Named]:
    paired = first(world.cup.pk, "round-paired")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == paired:
            given["data"]["tables"][0].reverse()

    rechain(world.cup.pk, change)
    yield Named("tournaments", "pairings", cup(world), paired)
    yield Named("checkpoints", "kept", cup(world), store.head(world.cup.pk).version, 1)


@forgery
def who_sat_at_a_table_changed(world: World) -> Iterator[Named]:
    at = TournamentSeat.objects.filter(table__isnull=False)[0]
    bye = TournamentSeat.objects.filter(table=None, round=at.round)[0]
    for seat, entry in ((bye, -1), (at, bye.entry_id), (bye, at.entry_id)):
        TournamentSeat.objects.filter(pk=seat.pk).update(entry=entry)
    yield Named("tournaments", "record", cup(world))


@forgery
def a_result_changed(world: World) -> Iterator[Named]:
    closed = first(world.cup.pk, "round-closed")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == closed:
            given["data"]["results"].reverse()

    rechain(world.cup.pk, change)
    yield Named("checkpoints", "kept", cup(world), store.head(world.cup.pk).version, 1)


@forgery
def the_worth_of_a_game_changed(world: World) -> Iterator[Named]:
    score = Score.objects.order_by("pk")[0]
    Score.objects.filter(pk=score.pk).update(measures=[measure + 1 for measure in score.measures])
    yield Named("tournaments", "record", cup(world))


@forgery
def the_standings_changed(world: World) -> Iterator[Named]:
    told_at = first(world.cup.pk, "standings")

    def change(given: dict[str, Any]) -> None:
        if given["version"] == told_at:
            given["data"]["standings"].reverse()

    rechain(world.cup.pk, change)
    yield Named("tournaments", "standings", cup(world), told_at)


@forgery
def a_prize_changed(world: World) -> Iterator[Named]:
    award = Award.objects.filter(entry__tournament=world.cup).order_by("-amount")[0]
    Award.objects.filter(pk=award.pk).update(amount=F("amount") + 1)
    yield Named("tournaments", "record", cup(world))


@forgery
def an_entrant_changed(world: World) -> Iterator[Named]:
    Entry.objects.filter(tournament=world.cup, number=1).update(client_seed="another")
    yield Named("tournaments", "record", cup(world))


@forgery
def a_game_of_another_table(world: World) -> Iterator[Named]:
    one, other = TableGame.objects.filter(table__round__tournament=world.cup).order_by("pk")[:2]
    for row, played in ((one, uuid4()), (other, one.game), (one, other.game)):
        TableGame.objects.filter(pk=row.pk).update(game=played)
    yield Named("tournaments", "deals", cup(world))


@forgery
def a_judge_whom_nobody_appointed(world: World) -> Iterator[Named]:
    """Who may rule now, and leaves no trace of it when the row is gone again."""
    given = {"player_id": world.staked.creator_id, "role": "judge", "given_at": world.cup.created_at}
    TournamentRole.objects.create(tournament=world.cup, **given)
    yield Named("tournaments", "record", cup(world), why="the role of player")


@forgery
def a_game_of_another_round(world: World) -> Iterator[Named]:
    moved = GameRecord.objects.filter(tournament=world.cup.pk, round=1).order_by("pk")[0]
    GameRecord.objects.filter(pk=moved.pk).update(round=2)
    yield Named("games", "tournament-seed", game(moved))
    yield Named("tournaments", "seed", cup(world))


@forgery
def the_seed_of_a_tournament_changed(world: World) -> Iterator[Named]:
    RevealedSeed.objects.filter(pk=world.cup.pk).update(seed=bytes(32))
    yield Named("tournaments", "record", cup(world))


# --- a dispute -----------------------------------------------------------------------------------------


def dispute(world: World) -> str:
    return f"dispute:{world.dispute.pk}"


@forgery
def a_claim_changed(world: World) -> Iterator[Named]:
    Dispute.objects.update(claim="nothing at all")
    yield Named("disputes", "record", dispute(world))


@forgery
def a_ruling_changed(world: World) -> Iterator[Named]:
    Ruling.objects.update(reason="because")
    yield Named("disputes", "record", dispute(world))


@forgery
def what_a_ruling_was_to_do_changed(world: World) -> Iterator[Named]:
    """As a second person would have been shown it."""
    [effects] = Ruling.objects.values_list("effects", flat=True)
    Ruling.objects.update(effects={**effects, "plays": "as if nothing had been"})
    yield Named("disputes", "record", dispute(world))


@forgery
def evidence_changed(world: World) -> Iterator[Named]:
    PinnedEvidence.objects.update(hash="f" * 64)
    yield Named("disputes", "record", dispute(world))


@forgery
def a_dispute_that_was_opened_earlier(world: World) -> Iterator[Named]:
    Dispute.objects.update(opened_at=F("opened_at") - timedelta(days=1))
    yield Named("disputes", "record", dispute(world))


@forgery
def a_ruling_that_was_made_earlier(world: World) -> Iterator[Named]:
    Ruling.objects.update(ruled_at=F("ruled_at") - timedelta(seconds=1))
    yield Named("disputes", "record", dispute(world))


@forgery
def more_time_to_appeal(world: World) -> Iterator[Named]:
    Dispute.objects.update(appeal_until=F("appeal_until") + timedelta(days=1))
    yield Named("disputes", "record", dispute(world))


@forgery
def a_dispute_that_ended_later(world: World) -> Iterator[Named]:
    Dispute.objects.update(ended_at=F("ended_at") + timedelta(microseconds=1))
    yield Named("disputes", "record", dispute(world))


@forgery
def a_dispute_removed(world: World) -> Iterator[Named]:
    for model in (PinnedEvidence, Ruling, Dispute):
        model.objects.all()._raw_delete("default")  # type: ignore[attr-defined]
    yield Named("streams", "owner", dispute(world))


@forgery
def what_was_ruled_changed_in_the_log(world: World) -> Iterator[Named]:
    ruled = first(world.dispute.pk, "ruled")
    event(world.dispute.pk, ruled).update(type="withdrawn")
    yield Named("streams", "chain", dispute(world), ruled)


@self_consistent
def a_ruling_changed_everywhere(world: World) -> Iterator[Named]:
    def change(given: dict[str, Any]) -> None:
        if "reason" in given["data"]:
            given["data"]["reason"] = "because"

    rechain(world.dispute.pk, change)
    Ruling.objects.update(reason="because")
    yield Named("checkpoints", "kept", dispute(world), store.head(world.dispute.pk).version, world.last)


# --- the checkpoints -----------------------------------------------------------------------------------


@forgery
def a_signature_changed(world: World) -> Iterator[Named]:
    Checkpoint.objects.filter(number=1).update(signature="0" * 128)
    yield Named("checkpoints", "kept", "", None, 1, "the signature does not fit")


@forgery
def what_was_signed_changed(world: World) -> Iterator[Named]:
    [body] = Checkpoint.objects.filter(number=1).values_list("body", flat=True)
    Checkpoint.objects.filter(number=1).update(body=bytes(body).replace(b'"leaves":', b'"leaves":1'))
    yield Named("checkpoints", "kept", "", None, 1, "the hash is not that of the body")


@forgery
def a_body_that_is_no_text(world: World) -> Iterator[Named]:
    Checkpoint.objects.filter(number=1).update(body=b"\xff\x00")
    yield Named("checkpoints", "kept", "", None, 1, "the hash is not that of the body")


@self_consistent
def events_moved_behind_what_was_signed(world: World) -> Iterator[Named]:
    """As if the game had been played later, and no checkpoint had ever covered it."""
    moved = {"position": F("position") + 1_000_000}
    if (
        connection.vendor == "postgresql"
    ):  # the order there is that of transactions first, and a position is always given
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE eventstore_event ALTER COLUMN position SET GENERATED BY DEFAULT")
        moved["xact"] = F("xact") + 1_000_000
    of_stream(world.running.pk).update(**moved)
    yield Named("checkpoints", "kept", game(world.running), None, 1, "what was signed is gone")


@forgery
def leaves_changed(world: World) -> Iterator[Named]:
    Checkpoint.objects.filter(number=1).update(leaves=bytes(48))
    yield Named("checkpoints", "kept", "", None, 1, "are not those that were signed")


@forgery
def the_first_checkpoint_removed(world: World) -> Iterator[Named]:
    Checkpoint.objects.filter(number=1).delete()
    yield Named("checkpoints", "kept", "", None, 2, "checkpoint 1 is missing")


@forgery
def the_last_checkpoint_removed(world: World) -> Iterator[Named]:
    Checkpoint.objects.filter(number=world.last).delete()
    yield Named("checkpoints", "published", "", None, world.last, "the database is older than it")


@forgery
def all_checkpoints_removed(world: World) -> Iterator[Named]:
    Checkpoint.objects.all().delete()
    yield Named("checkpoints", "published", "", None, 1, "the database is older than it")


@forgery
def checkpoints_swapped(world: World) -> Iterator[Named]:
    for number, other in ((1, 1000), (2, 1), (1000, 2)):
        Checkpoint.objects.filter(number=number).update(number=other)
    yield Named("checkpoints", "kept", "", None, 1, "by its body it is checkpoint 2")
    yield Named("checkpoints", "kept", "", None, 2, "by its body it is checkpoint 1")


@self_consistent
def a_past_rewritten_and_signed_anew(world: World) -> Iterator[Named]:
    """By the operator, who also has the key: only exported checkpoints reveal it."""
    rechain(world.running.pk, later)
    previous = GENESIS
    for one in Checkpoint.objects.order_by("number"):
        content = {**orjson.loads(bytes(one.body)), "previous": previous}
        leaves = b""
        for name, part in sorted(content["sources"].items()):
            signed = _leaves(name, part)
            part["root"] = merkle.root(leaf.hash for leaf in signed).hex()
            leaves += b"".join(leaf.hash + leaf.id.bytes for leaf in signed)
        body = canonical(content)
        previous = merkle.leaf_hash(body).hex()
        Checkpoint.objects.filter(pk=one.pk).update(
            body=body, hash=previous, leaves=leaves, signature=checkpoint.signing_key().sign(body).hex()
        )
    yield Named("checkpoints", "published", "", None, 1, "another one was published under this number")


def _leaves(name: str, part: dict[str, Any]) -> list[checkpoint.CheckpointEntry]:
    after, until = part["after"], part["until"]
    source = checkpoint._sources[name]
    found = source.leaves(store.Position(*after) if after else None, store.Position(*until))
    return [checkpoint.CheckpointEntry.of(leaf) for leaf in found]
