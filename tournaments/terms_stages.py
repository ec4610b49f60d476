"""The stages of a tournament, judged before anything is created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tournaments.formats import staged
from tournaments.formats.protocol import Snapshot
from tournaments.formats.sizes import CannotBeSeated
from tournaments.formats.stage import Stage
from tournaments.models import MOST_ENTRANTS, MOST_ROUNDS
from tournaments.problems import BadTerms

SLUG = staged.Stages.slug

Asked = Sequence[Mapping[str, Any]]
"""Each with `format`, and the first with `qualify` and, if wanted, `rounds` and `groups`."""


def agree(format: str, asked: Asked) -> tuple[Stage, ...]:
    """What is left out filled in; none in other formats. Raises BadTerms."""
    if format != SLUG:
        if asked:
            raise BadTerms("stages", f"the format {format} has none.")
        return ()
    if len(asked) != 2:
        raise BadTerms("stages", "two: a swiss or a round-robin, then a knockout or a double-knockout.")
    first, second = asked
    _check_first(first)
    if second.get("format") not in staged.SECOND:
        raise BadTerms("stages", f"the second is a {_listed(staged.SECOND)}.")
    if set(second) != {"format"}:
        raise BadTerms(
            "stages", "the second is told by its format alone: it takes as many rounds as it needs."
        )
    return Stage(**first), Stage(second["format"])


def _check_first(first: Mapping[str, Any]) -> None:
    form = staged.FIRST.get(first.get("format", ""))
    if form is None:
        raise BadTerms("stages", f"the first is a {_listed(staged.FIRST)}.")
    if not form.fewest_rounds <= first.get("rounds", 0) <= MOST_ROUNDS:
        raise BadTerms("stages", f"rounds of the first from {form.fewest_rounds} to {MOST_ROUNDS}.")
    most = 1 if form.slug == "swiss" else MOST_ENTRANTS // form.fewest_entrants
    if not 1 <= first.get("groups", 1) <= most:
        raise BadTerms("stages", f"groups of a {form.slug} from 1 to {most}.")
    if not 2 <= first.get("qualify", 0) <= MOST_ENTRANTS:
        raise BadTerms("stages", f"qualify, how many of all go on to the second, from 2 to {MOST_ENTRANTS}.")


def check_field(
    stages: Sequence[Stage], *, sizes: Sequence[int], seats: int, through: int, fewest: int, capacity: int
) -> None:
    """Whether the fewest who may start fill the groups and the knockout. Raises BadTerms."""
    if not stages:
        return
    first = stages[0]
    needed = max(first.qualify, first.groups * max(2, min(sizes)))
    if capacity < needed:
        raise BadTerms("capacity", f"at least {needed}, to fill the groups and the knockout.")
    if fewest < needed:
        raise BadTerms("fewest", f"at least {needed}, to fill the groups and the knockout.")
    known = Snapshot((), 0, 1, (), sizes=tuple(sizes), preferred=seats, through=through, stages=tuple(stages))
    try:
        staged.most_rounds(known)
    except CannotBeSeated as error:
        raise BadTerms("stages", f"qualify {first.qualify}: {error}.") from None


def _listed(formats: Mapping[str, Any]) -> str:
    return " or a ".join(formats)
