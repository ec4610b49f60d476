"""Test the forms of rulings on the staff pages: they name the players, in the form, the preview, and the ruling."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from disputes.models import Dispute
from games import services as games
from games.models import GameRecord
from tests.disputes.conftest import Opens
from tests.disputes.test_staff_pages import done, page, previewed, signed_in, url
from tests.disputes.test_tournaments import AFTER, game_of, held, players, prizes  # noqa: F401
from tests.games import chosen
from tests.games.staked import NOON, dealt, play_out
from tests.money import cash, fund
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
INTERNAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|\{&quot;|/cash|/session|/escrow|player:|\bXTS\b")


def visible(answer: Any) -> str:
    """Return the page without attributes and technical details."""
    text = answer.content.decode()
    main = text[text.index('<div id="content"') :]
    without = re.sub(r"<details class=\"technical\">.*?</details>", "", main, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", without)


def speaks_plainly(answer: Any) -> str:
    shown = visible(answer)
    assert INTERNAL.search(shown) is None, INTERNAL.findall(shown)
    return shown


@pytest.fixture
def disputed(
    held: Tournament,  # noqa: F811
    opened: Opens,
    monkeypatch: pytest.MonkeyPatch,
) -> Dispute:
    """Return a dispute about the only game of an ended tournament, soon after its end."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: AFTER)
    return opened(game_of(held), players(held)[0], now=AFTER)


def changes(answer: Any) -> dict[str, tuple[str, str]]:
    preview = answer.context["preview"]
    assert preview is not None, answer.context["form"].errors
    return {one.what: (one.before, one.after) for one in preview.changes}


def test_points_are_set_in_a_row_for_each_player(
    disputed: Dispute,
    held: Tournament,  # noqa: F811
    auditor: Player,
) -> None:
    browser, address = signed_in(auditor), url("dispute_rule", disputed, "points")
    first = browser.get(address)
    text = speaks_plainly(first)
    for name in ("cid", "dan", "Games won", "Cards left"):
        assert name in text
    assert prizes(held).keys() == {1, 2}, "they share the first place"
    form = first.context["form"]
    assert all(form[f"score_{entry}_0"].value() == 1 for entry in (1, 2))
    given = {"score_1_0": 0, "score_1_1": 3, "score_2_0": 1, "score_2_1": 0}
    names = dict(held.entries.values_list("number", "player__username"))
    shown = previewed(browser, address, finding="upheld", way="score", **given)
    found = changes(shown)
    assert found[names[1]] == ("1st, prize 5.00 play money", "2nd, no prize")
    text = speaks_plainly(shown)
    assert "points adjusted:" in text
    assert f"{names[1]}: games won 0, cards left 3" in text
    after = done(browser, address, finding="upheld", way="score", **given)
    assert f"{names[2]}: games won 1, cards left 0" in speaks_plainly(after)
    assert prizes(held).keys() == {2}


def test_a_forfeit_is_chosen_by_name_and_a_missing_number_is_named(
    disputed: Dispute,
    held: Tournament,  # noqa: F811
    auditor: Player,
) -> None:
    browser, address = signed_in(auditor), url("dispute_rule", disputed, "points")
    shown = previewed(browser, address, finding="upheld", way="forfeit", entries=["1"])
    assert f"{held.entries.get(number=1).player.username} forfeit" in speaks_plainly(shown)
    shown = previewed(browser, address, finding="upheld", way="score", score_1_0="1")
    assert "Enter every number of" in shown.content.decode()


def test_places_are_decided_by_name(
    played: GameRecord, people: list[Player], opened: Opens, auditor: Player
) -> None:
    assert played.outcome is not None
    [[winner], [loser]] = played.outcome["places"]
    dispute = opened(played, people[loser])
    browser, address = signed_in(auditor), url("dispute_rule", dispute, "corrected")
    form = browser.get(address).context["form"]
    assert (form[f"decided_{winner}"].value(), form[f"decided_{loser}"].value()) == (1, 2)
    assert form[f"decided_{loser}"].label == f"Place of {people[loser].username}"
    given = {"way": "decide", f"decided_{winner}": 2, f"decided_{loser}": 1, "finding": "upheld"}
    shown = previewed(browser, address, **given)
    text = speaks_plainly(shown)
    assert f"corrected: {people[loser].username} 1st, {people[winner].username} 2nd" in text
    assert f"{people[loser].username}: wallet and money in play" in changes(shown)
    speaks_plainly(done(browser, address, **given))
    dispute.refresh_from_db()
    assert dispute.rulings.get().terms == {"outcome": {"places": [[loser], [winner]]}}


def ended(rules: str, people: list[Player]) -> GameRecord:
    """Return an ended game of one player, or of both."""
    if rules == "racing-demons":
        return play_out(dealt(rules, people), people)
    if rules == "racing-aces":
        for who in people:
            fund(cash(who.pk), 1000)
        race = chosen.opened(people[0], seats=2)
        chosen.sit_down(race, people, chosen.suits(2, winners=[0]))
        return chosen.raced(race, people[0])
    config = {"draw": 3, "stake": 0} if rules == "vegas-solitaire" else {}
    game = games.create_game(rules=rules, config=config, seats=1, creator=people[0], now=NOON)
    games.take_seat(game=game, player=people[0], client_seed="x", now=NOON)
    games.start_game(game=game, actor=people[0], now=NOON)
    last = "collect" if rules == "vegas-solitaire" else "resign"
    games.play(game_id=game.pk, player=people[0], move={"type": last}, now=NOON)
    return GameRecord.objects.get(pk=game.pk)


@pytest.mark.parametrize(
    ("rules", "fields", "terms", "words"),
    [
        ("vegas-solitaire", {"decided": "20"}, {"cards": 20}, "cards on the foundations 20"),
        ("idle-aces", {"decided": "0"}, {"result": "won"}, "corrected: Won"),
        ("racing-aces", {"decided": "4"}, {"winner": None}, "corrected: No winner"),
        ("racing-demons", {"decided_0": "30", "decided_1": "-4"}, {"scores": [30, -4]}, "ann 30, bob -4"),
    ],
)
def test_each_game_has_its_own_form(
    rules: str, fields: dict[str, str], terms: dict[str, Any], words: str,
    people: list[Player], opened: Opens, auditor: Player,
) -> None:  # fmt: skip
    game = ended(rules, people)
    browser = signed_in(auditor)
    address = url("dispute_rule", opened(game, people[0]), "corrected")
    speaks_plainly(browser.get(address))
    shown = previewed(browser, address, finding="upheld", way="decide", **fields)
    assert words in speaks_plainly(shown)
    assert shown.context["form"].cleaned_data["decision"].terms == {"outcome": terms}


def test_options_are_offered_with_their_words_and_points_only_in_tournaments(
    played: GameRecord, people: list[Player], opened: Opens, auditor: Player
) -> None:
    dispute, browser = opened(played, people[0]), signed_in(auditor)
    address = url("dispute_rule", dispute, "corrected")
    assert "as played: Cannot be continued" in browser.get(address).content.decode()
    shown = previewed(browser, address, finding="upheld", way="judge", option_continuation="chained")
    assert shown.context["form"].cleaned_data["decision"].terms == {"options": {"continuation": "chained"}}
    assert url("dispute_rule", dispute, "points") not in page(browser, dispute)
    shown = previewed(browser, url("dispute_rule", dispute, "points"), finding="upheld", way="score")
    assert shown.context["preview"] is None


def test_the_form_hides_an_outcome_from_those_who_may_not_read_it(
    people: list[Player], opened: Opens, auditor: Player
) -> None:
    dispute = opened(dealt("ace-race", people), people[0])
    form = Client()
    form.force_login(auditor, backend="accounts.roles.PlayerBackend")
    fields = form.get(url("dispute_rule", dispute, "corrected")).context["form"]
    assert {fields[name].value() for name in fields.fields if name.startswith("decided_")} == {None}
