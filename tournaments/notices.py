"""Notifications of entrants: a round, the check-in, a place from the waiting list, and a prize.

Rounds, places, and prizes follow from the events of the tournament. The check-in opens at a time, for which the
publication, or an entry, schedules a job.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from eventstore.store import StoredEvent
from jobs import services as jobs
from jobs.services import Planned
from ledger.money import with_money
from notifications import follower, kinds, services
from notifications.kinds import Channel, Kind, Values, texts
from notifications.services import Announcement
from tournaments.entries import check_in
from tournaments.models import Award, CorrectedAward, Entry, RoundState, Seat, Status, Tournament, Waiting

ROUND, CHECK_IN, PLACE, PRIZE = "round", "check-in", "place", "prize"

CHECK_IN_OPENS = "tournaments.check_in_opens"
"""The job that notifies the entrants at the beginning of the check-in."""


def _tournaments(events: Sequence[StoredEvent]) -> Iterator[tuple[StoredEvent, Tournament]]:
    """Yield the events of published tournaments. A game of a plug-in may have moves of the same names."""
    ids = {event.stream for event in events}
    found = {one.pk: one for one in Tournament.objects.public().filter(pk__in=ids)}
    yield from ((event, found[event.stream]) for event in events if event.stream in found)


def _announcement(
    kind: str, tournament: Tournament, player: UUID, occurrence: object, **values: Any
) -> Announcement:
    named = {"tournament": str(tournament.pk), "name": tournament.name, **values}
    return Announcement(kind, player, tournament.subject, str(occurrence), named)


# --- from events ---------------------------------------------------------------------------------------


def _rounds(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    for event, tournament in _tournaments(events):
        number = event.data["round"]
        seats = Seat.objects.filter(
            round__tournament=tournament, round__number=number, table__isnull=False, entry__bot=False
        )
        for player in seats.values_list("entry__player", flat=True):
            yield _announcement(ROUND, tournament, player, number, round=number)


def _places(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    for event, tournament in _tournaments(events):
        yield _announcement(PLACE, tournament, UUID(event.data["player"]), event.data["waiting"])


def _prizes(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    """After a correction only prizes that have changed are announced again."""
    for event, tournament in _tournaments(events):
        awards: Mapping[int, Any] = {award["entry"]: award for award in event.data["awards"]}
        entries = Entry.objects.filter(tournament=tournament, number__in=awards, bot=False)
        for number, player in entries.values_list("number", "player"):
            place, amount = awards[number]["place"], awards[number]["amount"]
            values = {"place": place, "amount": amount, "currency": tournament.currency}
            yield _announcement(PRIZE, tournament, player, f"{place}:{amount}", **values)


# --- the check-in --------------------------------------------------------------------------------------


def _schedule_check_in(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    """Schedule the notification of the check-in, once for each tournament. Nothing is announced yet."""
    found = {one.pk: one for _, one in _tournaments(events)}
    jobs.schedule_all(
        Planned(
            CHECK_IN_OPENS,
            f"{CHECK_IN_OPENS}:{one.pk}",
            {"tournament": str(one.pk)},
            one.opens_at - timedelta(seconds=one.check_in_seconds),
        )
        for one in found.values()
        if one.check_in_seconds and one.opens_at is not None and one.status == Status.PUBLISHED
    )
    return ()


def announce_check_in(*, tournament_id: UUID, now: datetime) -> None:
    """Notify the entrants and the waiting players who have not checked in, if the check-in is open."""
    tournament = Tournament.objects.public().filter(pk=tournament_id).first()
    if tournament is None or not check_in.is_open(tournament, now):
        return
    players = [*_not_checked_in(tournament), *_waiting_not_checked_in(tournament)]
    services.announce([_announcement(CHECK_IN, tournament, player, "opened") for player in players], now=now)


def _not_checked_in(tournament: Tournament) -> QuerySet[Entry, UUID]:
    missing = tournament.entries.standing().filter(checked_in_at=None, bot=False)
    return missing.values_list("player", flat=True)


def _waiting_not_checked_in(tournament: Tournament) -> QuerySet[Waiting, UUID]:
    return tournament.waiting.in_line().filter(checked_in_at=None).values_list("player", flat=True)


# --- the kinds -----------------------------------------------------------------------------------------


def _entry(player: UUID, values: Values, *statuses: Status) -> Entry | None:
    """The player's entry in the tournament, if that has one of the statuses."""
    entries = Entry.objects.filter(tournament=values["tournament"], player=player, withdrawn_at=None)
    return entries.filter(tournament__status__in=statuses).select_related("tournament").first()


def _plays_round(player: UUID, values: Values) -> bool:
    return Seat.objects.filter(
        round__tournament=values["tournament"],
        round__number=values["round"],
        round__state=RoundState.OPEN,
        round__tournament__status=Status.RUNNING,
        entry__player=player,
        entry__withdrawn_at=None,
        entry__disqualified_at=None,
    ).exists()


def _may_check_in(player: UUID, values: Values) -> bool:
    tournament = Tournament.objects.filter(pk=values["tournament"], status=Status.PUBLISHED).first()
    if tournament is None:
        return False
    entered = _not_checked_in(tournament).filter(player=player)
    return entered.exists() or _waiting_not_checked_in(tournament).filter(player=player).exists()


def _has_place(player: UUID, values: Values) -> bool:
    return _entry(player, values, Status.PUBLISHED, Status.RUNNING) is not None


def _has_prize(player: UUID, values: Values) -> bool:
    """Whether the prize is still the present one: a correction may have changed it."""
    entry = _entry(player, values, Status.FINISHED)
    return entry is not None and _amount(entry) == values["amount"]


def _amount(entry: Entry) -> int | None:
    corrected = CorrectedAward.objects.filter(award=entry.pk).order_by("-number").first()
    present = corrected or Award.objects.filter(entry=entry).first()
    return None if present is None else present.amount


_kind = partial(
    Kind,
    path=kinds.always("/tournaments/{tournament}/"),
    tag="tournament:{tournament}",
    channels=tuple(Channel),
    urgent=True,
)

KINDS = (
    _kind(
        name=ROUND,
        label={"en": "A round opens", "de": "Eine Runde beginnt", "pl": "Zaczyna się runda"},
        title=texts(en="Round {round} of {name}", de="Runde {round} von {name}", pl="Runda {round}: {name}"),
        text=texts(en="Your table is ready.", de="Dein Tisch ist bereit.", pl="Twój stół jest gotowy."),
        is_current=_plays_round,
    ),
    _kind(
        name=CHECK_IN,
        label={
            "en": "A check-in opens",
            "de": "Ein Check-in beginnt",
            "pl": "Zaczyna się potwierdzanie obecności",
        },
        title=texts(en="Check in: {name}", de="Check-in: {name}", pl="Potwierdź obecność: {name}"),
        text=texts(
            en="Confirm that you will play. Players who have not checked in by the start are removed and refunded.",
            de="Bestätige, dass du spielst. Wer bis zum Beginn nicht eingecheckt hat, wird gestrichen und bekommt"
            " das Startgeld zurück.",
            pl="Potwierdź, że zagrasz. Kto nie potwierdzi obecności do rozpoczęcia, zostanie skreślony i dostanie"
            " zwrot wpisowego.",
        ),
        is_current=_may_check_in,
    ),
    _kind(
        name=PLACE,
        label={"en": "A place becomes free", "de": "Ein Platz wird frei", "pl": "Zwalnia się miejsce"},
        title=texts(
            en="You have a place: {name}", de="Du hast einen Platz: {name}", pl="Masz miejsce: {name}"
        ),
        text=texts(
            en="A place became free, and you were admitted from the waiting list.",
            de="Ein Platz ist frei geworden, und du bist von der Warteliste nachgerückt.",
            pl="Zwolniło się miejsce i wchodzisz z listy rezerwowej.",
        ),
        is_current=_has_place,
    ),
    _kind(
        name=PRIZE,
        label={"en": "A prize", "de": "Ein Preis", "pl": "Nagroda"},
        title=texts(en="Prize: {name}", de="Preis: {name}", pl="Nagroda: {name}"),
        text=texts(
            en="You finished in place {place} and won {money}.",
            de="Du bist auf Platz {place} und gewinnst {money}.",
            pl="Zajmujesz miejsce {place} i wygrywasz {money}.",
        ),
        is_current=_has_prize,
        shown=with_money,
        urgent=False,
    ),
)


def register() -> None:
    for kind in KINDS:
        kinds.register(kind)
    follower.on_events(["round-opened"], _rounds)
    follower.on_events(["admitted"], _places)
    follower.on_events(["prizes"], _prizes)
    follower.on_events(["published", "entered"], _schedule_check_in)
