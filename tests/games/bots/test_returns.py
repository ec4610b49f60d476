"""Return to player: the arithmetic of a manually computed sample, and the games of the simulation."""

import statistics
from collections import Counter
from fractions import Fraction

import pytest

from games import bots
from games.bots.simulation import play, simulate
from games.rules import ConfigError, get
from games.rules.vegas_solitaire.returns import Returns, played

PENCE = 40
HAND_MADE = Returns({0: 2, 10: 1, 14: 4, 52: 1}, pence_per_card=PENCE, stake=520)
"""118 cards in 8 games: 14.75 each; squares 2 × 217.5625 + 22.5625 + 4 × 0.5625 + 1387.5625 = 1847.5, by 7."""


def test_the_mean_return_is_winnings_by_stakes():
    assert HAND_MADE.games == 8
    assert HAND_MADE.mean_cards == Fraction(118, 8)
    assert HAND_MADE.expected == Fraction(118 * 40, 8 * 520)
    assert HAND_MADE.house_edge == 1 - HAND_MADE.expected


def test_the_interval_is_the_95_percent_interval_of_the_mean():
    deviation = (1847.5 / 7) ** 0.5
    assert HAND_MADE.deviation_of_cards == pytest.approx(deviation)
    reach = 1.959964 * deviation / 8**0.5 * PENCE / 520
    low, high = HAND_MADE.interval
    assert (low, high) == pytest.approx((118 / 104 - reach, 118 / 104 + reach), abs=1e-6)


def test_the_deviation_is_that_of_the_sample():
    cards = [cards for cards, games in HAND_MADE.cards.items() for _ in range(games)]
    assert HAND_MADE.deviation_of_cards == pytest.approx(statistics.stdev(cards))


def test_rates_count_games():
    """13 cards return exactly the stake."""
    assert HAND_MADE.complete_rate == Fraction(1, 8)
    assert HAND_MADE.paying_rate == Fraction(5, 8)
    assert Returns({13: 2}, pence_per_card=PENCE, stake=520).paying_rate == 0


def test_a_pay_table_scales_everything_alike():
    classic = Returns(HAND_MADE.cards, pence_per_card=50, stake=520)
    assert classic.expected == HAND_MADE.expected * 5 / 4
    assert classic.interval == pytest.approx([end * 5 / 4 for end in HAND_MADE.interval])


def test_the_document_has_all_figures():
    result = HAND_MADE.document()
    assert result["return"]["mean"] == float(HAND_MADE.expected)
    assert (result["return"]["low"], result["return"]["high"]) == HAND_MADE.interval
    assert result["cards"]["games"] == {"0": 2, "10": 1, "14": 4, "52": 1}


@pytest.mark.parametrize("bot", ["steady", "random"])
def test_its_games_are_those_of_the_simulation(bot):
    game, config = get("vegas-solitaire"), {"draw": 3}
    parsed, player = game.parse_config(config), bots.get("vegas-solitaire", bot)
    ends = []
    for number in range(12):
        whole = simulate(game, parsed, seats=1, bots=[player], seed="s", number=number)
        assert whole.table == play(game, parsed, seats=1, bots=[player], seed="s", number=number)
        ends.append(whole.table.outcome["cards"])
    assert played(config, bot, "s", 0, 12) == Counter(ends)
    assert played(config, bot, "s", 0, 5) + played(config, bot, "s", 5, 12) == Counter(ends)


def test_a_config_without_money_has_no_return():
    with pytest.raises(ConfigError):
        played({"draw": 3, "stake": 0}, "steady", "s", 0, 1)
