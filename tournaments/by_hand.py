"""A round that the organizer lays out instead of the engine, between two rounds.

First a preview: what the checker says against it, what should be known of it, how it differs from the engine's. With
it comes a token over the tournament as it stands and the layout, and only with that can the layout be recorded: so
nobody records another than they have looked at, nor after something has happened. The round is opened with it when its
time has come. Until then it can be laid out anew or given back to the engine; if somebody in it leaves, or somebody
else comes, it does not hold any more and the organizer is asked.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts.models import Player
from tournaments import formats, halts, help, record, roles
from tournaments.formats import checker, history, layouts
from tournaments.formats.history import History
from tournaments.formats.layouts import Caution, Comparison
from tournaments.formats.protocol import Format, Pairing, Snapshot
from tournaments.models import Status, Tournament
from tournaments.problems import FaultyLayout, NotByHand, NothingLaidOut, PreviewStale, WrongStatus

Tables = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Preview:
    """`faults` forbid the layout, in plain words, and then there is no token. `engine` None: it finds no way itself."""

    pairing: Pairing
    faults: tuple[str, ...]
    cautions: tuple[Caution, ...]
    algorithm: str
    engine: Pairing | None
    comparison: Comparison | None
    token: str | None

    def document(self) -> dict[str, Any]:
        return {
            "round": self.pairing.round,
            "faults": list(self.faults),
            "warnings": [{**one.document(), "says": one.says} for one in self.cautions],
            "engine": {"algorithm": self.algorithm, **_told(self.engine)} if self.engine else None,
            "comparison": asdict(self.comparison) if self.comparison else None,
            "token": self.token,
        }


def preview(
    *, tournament_id: UUID, number: int, tables: Tables, byes: Sequence[int], actor: Player
) -> Preview:
    """What recording this layout would mean. Raises NotFound, InterestedParty, WrongStatus, NotByHand."""
    with transaction.atomic():
        return _preview(*_waiting(tournament_id, number, actor), number, tables, byes)


@transaction.atomic
def lay_out(
    *,
    tournament_id: UUID,
    number: int,
    tables: Tables,
    byes: Sequence[int],
    token: str,
    actor: Player,
    reason: str,
    now: datetime,
) -> Preview:
    """Record the layout; the round is opened with it in its time.

    Raises NotFound, InterestedParty, WrongStatus, NotByHand, FaultyLayout, PreviewStale.
    """
    tournament, state = _waiting(tournament_id, number, actor)
    seen = _preview(tournament, state, number, tables, byes)
    if seen.token is None:
        raise FaultyLayout(f"{'; '.join(seen.faults)}.", faults=list(seen.faults))
    if not hmac.compare_digest(seen.token, token):
        raise PreviewStale
    told = {
        **history.paired(seen.pairing),
        "engine": _told(seen.engine) if seen.engine else None,
        "warnings": [one.document() for one in seen.cautions],
        "algorithm": seen.algorithm,
        "known": _known(state, number).fingerprint(),
        "reason": reason,
        "by": str(actor.pk),
    }
    record.append(tournament, ("round-laid-out", told), now=now)
    return seen


@transaction.atomic
def give_back(*, tournament_id: UUID, number: int, actor: Player, now: datetime) -> None:
    """Let the engine lay the round out after all.

    Raises NotFound, InterestedParty, WrongStatus, NotByHand, NothingLaidOut.
    """
    tournament, state = _waiting(tournament_id, number, actor)
    if laid_out(state, number) is None:
        raise NothingLaidOut
    record.append(tournament, ("layout-dropped", {"round": number, "by": str(actor.pk)}), now=now)


def laid_out(state: History, number: int) -> Pairing | None:
    """The round as somebody has laid it out, if somebody has."""
    return next((one for one in state.played if one.round == number and one.by_hand), None)


def broken(form: Format, state: History, pairing: Pairing) -> tuple[str, ...]:
    """Why a layout that was recorded does not hold any more, in plain words; nothing if it does."""
    return layouts.faults(form, _known(state, pairing.round), pairing)


def ask_anew(tournament: Tournament, pairing: Pairing, faults: Sequence[str], *, now: datetime) -> None:
    """Call the organizer, since a layout of theirs cannot be opened."""
    trouble = help.of_a_broken_layout(pairing.round, tuple(faults))
    halts.stall(tournament_id=tournament.pk, trouble=trouble, now=now)


def _waiting(tournament_id: UUID, number: int, actor: Player) -> tuple[Tournament, History]:
    """The tournament, locked, whose next round this is and has not been begun."""
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.RUNNING:
        raise WrongStatus(f"The tournament is {tournament.status}; rounds are laid out while it is running.")
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    if not form.takes_layouts(state.snapshot()):
        raise NotByHand(f"In the format {form.slug} the results make the tables.")
    if record.is_played_out(tournament):
        raise WrongStatus("All rounds have been played.")
    if number != state.closed + 1 or tournament.played_rounds.filter(number=number).exists():
        raise WrongStatus(
            f"Round {number} is not the one that comes next; a round that has begun stays as it is."
        )
    return tournament, state


def _known(state: History, number: int) -> Snapshot:
    return checker.before(state.snapshot(), number)


def _preview(
    tournament: Tournament, state: History, number: int, tables: Tables, byes: Sequence[int]
) -> Preview:
    form, known = formats.get(tournament.format), _known(state, number)
    pairing = layouts.layout(known, number, tables, byes)
    engine = layouts.of_the_engine(form, known, number)
    faults = layouts.faults(form, known, pairing)
    return Preview(
        pairing,
        faults,
        layouts.cautions(known, pairing, engine),
        form.algorithm(known),
        engine,
        layouts.compare(pairing, engine) if engine else None,
        None if faults else _token(tournament, pairing),
    )


def _token(tournament: Tournament, pairing: Pairing) -> str:
    text = json.dumps([str(tournament.pk), record.head(tournament).version, history.paired(pairing)])
    return salted_hmac("tournaments.by_hand", text, algorithm="sha256").hexdigest()


def _told(pairing: Pairing) -> dict[str, Any]:
    told = history.paired(pairing)
    del told["round"]
    return told
