"""Continue a suspended game as a new game from an earlier version; and redeal a game that has ended.

The stream of the new game begins with the parent's events, so that it can be verified as a whole. All times of the
parent's events are moved by the same span, so that the last of them is the time of the continuation. So every clock,
including that of the rules (RULEBOOK 6 (8)), continues from its value after that event.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from core.errors import NoSuchVersion, NotFound, Problem
from eventstore import store
from eventstore.chain import canonical, parse_at
from eventstore.months import new_stream
from eventstore.store import StoredEvent
from games import context, hooks
from games.errors import NotContinuable, NotRedealable
from games.models import SERVER_PLAYS, GameRecord, GameSecret, Lifted, Seat, Status
from games.money import buy_ins, markets, stakes
from games.play import clocks, stream
from games.play.server import void_game
from games.play.start import Dealt, schedule_play
from games.rules import Fact
from games.rules.bundles.rejudge import Rejudge, Wrong
from games.rules.table import CONTINUED, Parent, Table
from games.suspensions import records
from games.tables.services import EXPIRE, create_game, take_seat
from games.tables.tournament import deal_tables, seat_tables
from jobs import services as jobs
from ledger import services as ledger
from ledger.models import Pot

COPIED = (
    "rules",
    "rules_version",
    "config",
    "seats",
    "commitment",
    "creator",
    "private",
    "invite",
    "draw_every",
    "move_limit",
    "game_limit",
    "hints",
    "bot_pace",
    "match",
    "tournament",
    "round",
    "deal",
    "tournament_commitment",
    "entropy",
    "ended_job",
    "stake",
    "buy_in",
    "stake_table",
    "play_session",
)
"""Fields that a continued game copies from its parent."""


# --- continue from a version ---------------------------------------------------------------------------------


def continue_from(
    game_id: UUID, *, version: int, reason: str, now: datetime, by: Player | None = None
) -> GameRecord:
    """End a suspended game as void and continue it as a new game from its state after `version`.

    Seats, seeds, and deal are the same, and both games stay closed to others until both have ended. Stakes and buy-ins
    are refunded and taken again. Raises NotFound, NotSuspended, NoSuchVersion, NotContinuable; then nothing has
    changed.
    """
    with transaction.atomic():
        hooks.lock(game_id)
        records.locked(game_id)
        parent = GameRecord.objects.select_for_update(of=("self",)).get(pk=game_id)
        _require_no_market(parent)
        events = store.read(game_id)
        if not 1 <= version <= len(events):
            raise NoSuchVersion
        repeated = events[:version]
        table = _judged(parent, repeated)
        child = _child(parent, repeated, now)
        parent_ref = Parent(str(parent.pk), version, repeated[-1].hash)
        _close_both(parent, child)
        records.lift(
            game_id,
            how=Lifted.CONTINUED,
            by=by,
            reason=reason,
            now=now,
            more={"from": version, "child": str(child.pk)},
        )
        void_game(game_id=game_id, reason=CONTINUED, by=by, now=now)
        _begin(child, parent, repeated, table, parent_ref, now)
        hooks.owner_of(parent).continued(parent, child, by=by, reason=reason, now=now)
    return child


def _require_no_market(game: GameRecord) -> None:
    if markets.market_of(game) is not None:
        raise NotContinuable(
            "The deal of a race with a market also depends on the seeds of its bets, which cannot be moved. "
            "Resume the race, or void it and refund the bets."
        )


def _judged(parent: GameRecord, repeated: Sequence[StoredEvent]) -> Table:
    """Return the table after the events, each of which is checked again.

    Raises NotContinuable.
    """
    if all(event.type != "dealt" for event in repeated):
        raise NotContinuable(
            "The cards had not been dealt at that version. Void the game and open a new table."
        )
    again = Rejudge(
        {
            "id": str(parent.pk),
            "rules": parent.rules,
            "rules_version": parent.rules_version,
            "config": parent.config,
            "commitment": parent.commitment,
            "server_seed": context.server_seed(parent.pk).hex(),
        }
    )
    for event in repeated:
        try:
            again.step(event.full(), canonical(event.data))
        except Wrong as wrong:
            raise NotContinuable(
                f"Event {event.version} is wrong ({wrong}); continue from a version before it, or void the game."
            ) from wrong
    if again.due:
        raise NotContinuable(
            f"Event {repeated[-1].version} and the next are one step; continue from the version before or after both."
        )
    assert again.table is not None
    return again.table


def _child(parent: GameRecord, repeated: Sequence[StoredEvent], now: datetime) -> GameRecord:
    [dealt] = [event for event in repeated if event.type == "dealt"]
    last = parse_at(repeated[-1].at)
    return GameRecord(
        id=new_stream(now),
        **{name: getattr(parent, name) for name in COPIED},
        match_number=None if parent.match_number is None else parent.match_number + 1,
        deal_group=parent.deal_group or f"continued:{parent.pk}",
        parent=parent,
        parent_version=len(repeated),
        status=Status.ACTIVE,
        created_at=now,
        started_at=parse_at(dealt.at) + _moved(last, now),
        given_back=given_back(parent, len(repeated)),
    )


def _moved(last: datetime, now: datetime) -> timedelta:
    return max(timedelta(0), now - last)


def given_back(game: GameRecord, version: int | None = None) -> timedelta:
    """Return how long the game and its parents had been suspended between its events up to `version`.

    None means until now.
    """
    found = timedelta(0)
    if game.parent is not None and game.parent_version is not None:
        until = game.parent_version if version is None else min(version, game.parent_version)
        found = given_back(game.parent, until)
    resumed = game.suspensions.filter(lifted=Lifted.RESUMED)
    for one in resumed if version is None else resumed.filter(version__lt=version):
        assert one.lifted_at is not None
        found += one.lifted_at - one.since
    return found


def _close_both(parent: GameRecord, child: GameRecord) -> None:
    """Give both games one deal group: neither is shown to others until both have ended."""
    parent.deal_group = child.deal_group
    GameRecord.objects.filter(pk=parent.pk).update(deal_group=child.deal_group)


def _begin(
    child: GameRecord,
    parent: GameRecord,
    repeated: Sequence[StoredEvent],
    table: Table,
    parent_ref: Parent,
    now: datetime,
) -> None:
    server_seed = context.server_seed(parent.pk)
    stored = stream.copy_events(
        child.pk, _facts(repeated, parent_ref, now), table, key=table.key(server_seed)
    )
    child.save(force_insert=True)
    GameSecret.objects.create(game=child, server_seed=server_seed)
    Seat.objects.bulk_create(
        Seat(
            game=child,
            seat=seat.seat,
            player=seat.player,
            bot=seat.bot,
            forfeited=seat.forfeited,
            shown_as=seat.shown_as,
            created_at=child.created_at,
        )
        for seat in parent.seatings.select_related("player")
    )
    try:
        _stake_again(child, parent, stored, table, now)
    except Problem as problem:
        raise NotContinuable(
            f"The stakes cannot be taken again ({problem.code}: {problem.detail}). "
            "Void the game instead; then every stake is refunded."
        ) from problem
    if child.tournament is None:
        due = now + clocks.idle(child.rules)
        jobs.schedule(kind=EXPIRE, key=f"{EXPIRE}:{child.pk}", payload={"game": str(child.pk)}, due=due)
    schedule_play(Dealt(child, table, version=stored[-1].version, at=parse_at(stored[-1].at)))


def _facts(repeated: Sequence[StoredEvent], parent_ref: Parent, now: datetime) -> list[tuple[Fact, datetime]]:
    moved = _moved(parse_at(repeated[-1].at), now)
    first, *others = repeated
    begun = {**first.data, "parent": parent_ref.document()}
    return [
        (Fact(first.type, first.seat, begun, first.private), parse_at(first.at) + moved),
        *(
            (Fact(event.type, event.seat, event.data, event.private), parse_at(event.at) + moved)
            for event in others
        ),
    ]


def _stake_again(
    child: GameRecord, parent: GameRecord, stored: Sequence[StoredEvent], table: Table, now: datetime
) -> None:
    [dealt] = [event for event in stored if event.type == "dealt"]
    stakes.take(child, table, event=dealt.version, at=now)
    if child.buy_in and child.match_id is None:
        assert child.stake_table is not None
        pot = Pot.objects.get(subject=buy_ins.subject(parent))
        ledger.open_pot(
            subject=buy_ins.subject(child),
            amount=pot.amount,
            currency=pot.currency,
            terms=pot.terms,
            stake_table=child.stake_table,
            at=now,
        )
        seated = {event.data["seat"]: event for event in stored if event.type == "seated"}
        for seat, who in sorted(table.seats.items()):
            ledger.take_buy_in(
                subject=buy_ins.subject(child), player=UUID(who.player), event=seated[seat].version, at=now
            )


# --- redeal ----------------------------------------------------------------------------------------


def redeal(game_id: UUID, *, reason: str, now: datetime, by: Player | None = None) -> GameRecord:
    """Create a redeal of an ended game, at most once: a new seed with the same players, rules, and terms.

    In a tournament the redeal takes the game's place and is dealt at once. Elsewhere it is a table with reserved seats:
    each player gives a new client seed and pays a new buy-in by taking the seat. A stake against the bank is set aside
    from the player's balance again. Raises NotFound, NotRedealable; then nothing has changed.
    """
    with transaction.atomic():
        hooks.lock(game_id)
        ended = GameRecord.objects.select_for_update(of=("self",)).filter(pk=game_id).first()
        if ended is None:
            raise NotFound
        _require_over(ended)
        try:
            if ended.tournament is None:
                return _redeal_table(ended, now)
            new = _redeal_in_tournament(ended, now)
        except Problem as problem:
            if isinstance(problem, NotRedealable):
                raise
            raise NotRedealable(
                f"It cannot be opened again ({problem.code}: {problem.detail}). Correct its result, or void it."
            ) from problem
        hooks.owner_of(ended).redealt(ended, new, by=by, reason=reason, now=now)
    return new


def _require_over(game: GameRecord) -> None:
    if not game.ended:
        raise NotRedealable(
            "It has not ended. Suspend it and continue it from a version, or void it and redeal."
        )
    if game.started_at is None:
        raise NotRedealable("The cards were never dealt. Open another table.")
    if game.match_id is not None:
        raise NotRedealable("A deal of a match has no redeal. Correct its result, or void it.")
    if game.children.exists():
        raise NotRedealable("Another game already replaces it.")


def _redeal_table(ended: GameRecord, now: datetime) -> GameRecord:
    paying = ended.play_session
    new = create_game(
        rules=ended.rules,
        config=ended.config,
        seats=ended.seats,
        creator=ended.creator,
        private=ended.private,
        move_limit=ended.move_limit,
        game_limit=ended.game_limit,
        hints=ended.hints,
        bot_pace=ended.bot_pace,
        stake_table=ended.stake_table,
        play_session=paying if paying is not None and paying.is_open else None,
        buy_in=ended.buy_in or None,
        draw_every=ended.draw_every,
        parent=ended,
        now=now,
    )
    for seat in ended.seatings.filter(SERVER_PLAYS).select_related("player"):
        take_seat(game=new, player=seat.player, client_seed="", seat=seat.seat, bot=seat.bot, now=now)
    return new


def _redeal_in_tournament(ended: GameRecord, now: datetime) -> GameRecord:
    place = hooks.owner_of(ended).redeal_place(ended)
    seat_tables(rules=ended.rules, config=ended.config, draw_every=ended.draw_every, places=[place], now=now)
    GameRecord.objects.filter(pk=place.game).update(parent=ended)
    deal_tables(games=[place.game], now=now)
    return GameRecord.objects.get(pk=place.game)
