"""A tournament's games held against it: dealt from its seed, at its tables, and worth what its results say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count

from eventstore import store
from eventstore.models import Event
from eventstore.store import StoredEvent
from games.models import GameRecord
from games.rules import fairness
from tournaments import meetings
from tournaments.formats import corrected, scoring
from tournaments.formats.corrections import PLAYED
from tournaments.formats.history import History
from tournaments.formats.protocol import Result
from tournaments.models import SecretSeed, TableGame, Tournament

Found = Iterator[str]

NO_MOVES = ("created", "seated", "left", "dealt", "finished", "voided", "expired")
"""Types of events that are no move; `expired` may be one."""


def seed_faults(row: Tournament, known: History) -> Found:
    """The secret seed is the one committed to and, once shown, the one shown; lots and deals follow from it."""
    if known.commitment is None:
        return
    secret = SecretSeed.objects.filter(pk=row.pk).values_list("seed", flat=True).first()
    if secret is None:
        yield "the seed is lost"
        return
    seed = bytes(secret)
    if fairness.commitment(seed) != known.commitment:
        yield "the seed is not the one committed to"
        return
    if known.seed is not None and known.seed != seed.hex():
        yield "the seed that was shown is not the one that was kept"
    if known.entropy is not None and known.lot_key != fairness.lot_key(seed, known.entropy):
        yield "the lots were not drawn by the key of the seed and the entropy"
    for game in GameRecord.objects.filter(tournament=row.pk).order_by("pk").iterator():
        assert game.round is not None
        assert game.deal is not None
        derived = fairness.tournament_server_seed(seed, round=game.round, deal=game.deal)
        if fairness.commitment(derived) != game.commitment:
            yield f"game {game.pk} is not dealt from deal {game.deal} of round {game.round}"


def deal_faults(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """Every game that was dealt is the one at its table, of its deal, under this tournament's terms; the games of a
    match follow from one another."""
    told = {
        (event.data["round"], game["table"], game["number"]): (game["game"], game["deal"])
        for event in events
        if event.type == "games-dealt"
        for game in event.data["games"]
    }
    replaced = set()
    for event in events:
        if event.type == "game-replaced":
            at = event.data["round"], event.data["table"], event.data["number"]
            if told.get(at, ("",))[0] != event.data["replaces"]:
                yield f"game {event.data['replaces']} is replaced, by the stream the one at {at} is {told.get(at)}"
            told[at] = event.data["game"], event.data["deal"]
            replaced.add(UUID(event.data["replaces"]))
    placed: dict[UUID, tuple[int, int]] = {}
    dealt = {}
    for one in TableGame.objects.filter(table__round__tournament=row).select_related("table__round"):
        placed[one.game] = one.table.round.number, one.deal
        if one.dealt_at is not None:
            dealt[one.table.round.number, one.table.number, one.number] = str(one.game), one.deal
    for key in sorted(told.keys() | dealt.keys()):
        if told.get(key) != dealt.get(key):
            round, table, number = key
            yield (
                f"game {number} at table {table} of round {round} is {dealt.get(key)}, by the stream {told.get(key)}"
            )
    yield from _placed(row, known, placed, replaced)
    yield from _configured(row, events)


def _placed(
    row: Tournament, known: History, placed: dict[UUID, tuple[int, int]], replaced: set[UUID]
) -> Found:
    due = (known.commitment or "", known.entropy or "")
    made = set()
    for game in GameRecord.objects.filter(tournament=row.pk).order_by("pk").iterator():
        made.add(game.pk)
        if game.pk in replaced:
            if (game.tournament_commitment, game.entropy) != due or not game.ended:
                yield f"game {game.pk} was replaced, and is not what the stream says of it"
        elif game.pk not in placed:
            yield f"game {game.pk} is at no table"
        elif (game.round, game.deal) != placed[game.pk]:
            yield f"game {game.pk} says round and deal {(game.round, game.deal)}, its table {placed[game.pk]}"
        elif (game.tournament_commitment, game.entropy) != due:
            yield f"game {game.pk} says another commitment or entropy than the stream"


def _configured(row: Tournament, events: Sequence[StoredEvent]) -> Found:
    """Each game has the tournament's config, or in a match the one that it was dealt with by the stream, which follows
    from the outcome of another."""
    configs: dict[str, Any] = {}
    outcomes: dict[str, Any] = {}
    for event in events:
        if event.type == "games-dealt":
            for one in event.data["games"]:
                configs[one["game"]] = one.get("config", row.config)
                if "after" in one:
                    outcomes[one["after"]["game"]] = one["after"]["outcome"]
        elif event.type == "game-replaced":
            configs[event.data["game"]] = configs.get(event.data["replaces"], row.config)
    games = GameRecord.objects.filter(tournament=row.pk).order_by("pk")
    for key, config, outcome in games.values_list("pk", "config", "outcome").iterator():
        due = configs.get(str(key), row.config)
        if config != due:
            yield f"game {key} is played with {config}, by the stream with {due}"
        if outcome != outcomes.get(str(key), outcome):
            yield f"the outcome of game {key} is {outcome}, the next game follows from {outcomes[str(key)]}"


# --- what the games were worth -----------------------------------------------------------------------


def worth_faults(row: Tournament, known: History) -> Found:
    """Each result that is the game's own, as it was told first, is what the game's outcome gives."""
    first = corrected.first_told(known.snapshot())
    own: dict[int, list[Result]] = defaultdict(list)
    for result in known.results:
        told = first.get(corrected.key(result), result)
        if told.ended in PLAYED:
            own[told.round].append(told)
    for number, results in sorted(own.items()):
        yield from _round_faults(row, known, number, results)


def _round_faults(row: Tournament, known: History, number: int, results: Iterable[Result]) -> Found:
    here = TableGame.objects.filter(table__round__tournament=row, table__round__number=number)
    games = {(one.table.number, one.deal): one for one in here.select_related("table")}
    worth = _Worth(row, [one.game for one in games.values()])
    [seats] = [
        {table.number: {entry: seat for seat, entry in enumerate(table.seats)} for table in pairing.tables}
        for pairing in known.played
        if pairing.round == number
    ]
    for result in results:
        one = games.get((result.table, result.deal))
        if one is None:
            yield f"there is no game for the result at table {result.table} of round {number}"
            continue
        due = worth.of(one, seats[result.table][result.entry], result.entry)
        if list(result.score) != due:
            yield (
                f"entry {result.entry} has {list(result.score)} from game {one.game} of round {number}, "
                f"but the game gives {due}"
            )


class _Worth:
    """What the games of a round were worth, from their outcomes."""

    def __init__(self, row: Tournament, games: Sequence[UUID]) -> None:
        self.scoring = scoring.get(row.rules)
        self.outcomes: dict[UUID, Any] = dict(
            GameRecord.objects.filter(pk__in=games).values_list("pk", "outcome")
        )
        self.moves = Counter() if self.scoring.on_bets else _moves(games)
        self._bets: dict[UUID, dict[int, list[int]]] = {}

    def of(self, one: TableGame, seat: int, entry: int) -> list[int] | None:
        if self.scoring.on_bets:
            if one.game not in self._bets:
                self._bets[one.game] = {who.number: list(score) for who, score in meetings.scores(one)}
            return self._bets[one.game].get(entry)
        if one.game not in self.outcomes:
            return None
        return list(self.scoring.score(self.outcomes[one.game], seat=seat, moves=self.moves[one.game]))


def _moves(games: Sequence[UUID]) -> Counter[UUID]:
    """How many moves each game had, those that the server played included."""
    counted: Counter[UUID] = Counter()
    made = Event.objects.filter(stream__in=games).exclude(type__in=NO_MOVES).order_by()
    for game, number in made.values_list("stream").annotate(Count("version")):
        counted[game] += number
    for game, events in store.outline(list(games), ("expired",)).items():
        counted[game] += sum("move" in data for _, _, data in events)
    return counted
