"""The sentences a move of Ace Race can be refused with, and the source sentences that they settle."""

from __future__ import annotations

from games.rules.refusals import NOT_DEALT, OVER, Ruling


class Law:
    """The rulings of RULEBOOK 5."""

    DEAL = Ruling(
        "deal",
        "RULEBOOK 5",
        "54 cards are dealt singly from the dealer's left: 12 each to two, three or four seats, 8 each to six.",
        "The dealer deals (singly) 8 cards to each player if there are 6 players, and 12 cards to each "
        "player if there are 2-4 players.",
    )
    BIDDING = Ruling(
        "bidding",
        "RULEBOOK 5",
        "Bids go clockwise from the dealer's left; a bid of 0 to 6 must beat the last, and a pass is final.",
        "Each player must bid higher than the previous bidder or pass, and the player who bids the highest "
        "draws the number of cards corresponding to his/her bid from the undealt cards, adding them to "
        "his/her hand without showing them to the other players.",
    )
    FIRST_RULE = Ruling(
        "first-rule",
        "RULEBOOK 5",
        "After the bidding its winner names the first rule, any of them, needing no Ace.",
        "The chosen rule can be set without the possession of the corresponding Ace in hand.",
    )
    HIGH = Ruling(
        "high",
        "RULEBOOK 5",
        "High: a play is one card of value 10, 11, 12 or 13.",
        "High: A play consists of any one card having the numeric value 10, 11, 12, or 13.",
    )
    MEDIUM = Ruling(
        "medium",
        "RULEBOOK 5",
        "Medium: a play is one card of value 6, 7, 8 or 9.",
        "Medium: A play consists of any one card having the numeric value 6, 7, 8, or 9.",
    )
    LOW = Ruling(
        "low",
        "RULEBOOK 5",
        "Low: a play is one card of value 2, 3, 4 or 5.",
        "Low: A play consists of any one card having the numeric value 2, 3, 4, or 5.",
    )
    SUITS = Ruling(
        "suits",
        "RULEBOOK 5",
        "Suits: a play is one card 2…K of the suit announced with the rule.",
        "So long as the rule is in force, each play consists of playing any one card of that suit.",
    )
    PRIME = Ruling(
        "prime",
        "RULEBOOK 5",
        "Prime: a play is one card of value 2, 3, 5, 7, 11 or 13.",
        "Prime: A play consists of any one card whose value is a prime number: 2, 3, 5, 7, 11 or 13.",
    )
    SPADES = Ruling(
        "spades",
        "RULEBOOK 5 (1)",
        "The Ace of Spades names Above/Below; the Spades' two options are its two directions.",
        "SPADES (2 options)",
    )
    FIRST_PLAY = Ruling(
        "first-play",
        "RULEBOOK 5 (2)",
        "The previous winner's giveaway comes after the rule is named and before the first card.",
        "The winner of the previous game of Ace Race may give away two cards, after bidding is over and "
        "the first rule has been set.",
    )
    ACE = Ruling(
        "aces",
        "RULEBOOK 5 (3)",
        "An Ace is played alone, on any turn, and names a rule of its suit; what lies under it is shuffled "
        "into the draw pile and the same seat takes a turn.",
        "An Ace can be played at any turn, regardless of the rule in force.",
    )
    WINNING = Ruling(
        "winning",
        "RULEBOOK 5 (4)",
        "An Ace or any play that empties the hand wins at once, before any further duty or giveaway.",
        "Ace Race is a game for two, three, four, or six players, in which the objective is to be the "
        "first to get rid of the cards in your hand onto a face up discard pile.",
    )
    TURN = Ruling(
        "turn",
        "RULEBOOK 5 (5)",
        "A turn is a play, or a draw followed by a play that includes the drawn card or a pass.",
        "If a player cannot discard a card or for strategic reasons opts not to, the player must take the "
        "top card from the draw pile. The player may discard that card, if possible and desired, or pass "
        "his/her turn to the next player.",
    )
    EMPTY_PILE = Ruling(
        "empty-draw-pile",
        "RULEBOOK 5 (6)",
        "With an empty draw pile a pass stands for the draw; as many of these in a row as there are seats "
        "block the game, and the fewest cards in hand win.",
        "If there are cards remaining after bidding, those cards become the draw pile.",
    )
    JOKER = Ruling(
        "jokers",
        "RULEBOOK 5 (7)",
        "A joker goes with exactly one card 2…K, playable or not; never alone, never with an Ace, and it "
        "lies under its card.",
        "A player may break the existing rule for one turn and play a single card that would not otherwise "
        "be playable under the current rule so long as it is accompanied by a joker card.",
    )
    MULTIPLES = Ruling(
        "multiples",
        "RULEBOOK 5 (8)",
        "Multiples: a play is two to four cards of one value, or, where it may be continued, one card of "
        "the value of the previous play.",
        "A play consists of either any two or more cards of the same numerical value (a multiple) or, if "
        "the previous play was a multiple, a card of the same numeric value as the previous play.",
    )
    SERIES = Ruling(
        "series",
        "RULEBOOK 5 (8)",
        "Series: a play is three consecutive values in ascending or descending order, or, where it may be "
        "continued, one card one above or below the last card of the previous play.",
        "A play consists of either exactly three cards in sequential order (such as 6-5-4 or 9-10-J) or, "
        "if the previous play was a three-card series, a single card adjacent in value to the last card of "
        "the series can be played.",
    )
    CONTINUATION = Ruling(
        "continuation",
        "RULEBOOK 5 (8)",
        "`strict`: a single card continues a multiple or a series alone; `chained`: also a single card "
        "that did so, any number of times.",
        "Or, if the previous play was a three-card series, a single card adjacent in value to the last "
        "card of the series can be played.",
    )
    PREVIOUS_PLAY = Ruling(
        "previous-play",
        "RULEBOOK 5 (9)",
        "The previous play is the last one that put cards down since the last Ace; a joker play is neither "
        "a multiple nor a series.",
        "The numeral or face card (2-K) is played atop the joker card and is the card which is played upon "
        "in the subsequent turn.",
    )
    ABOVE_BELOW = Ruling(
        "above-below",
        "RULEBOOK 5 (10)",
        "Above/Below: the first play is any one card 2…K; then each is strictly higher or strictly lower "
        "than the one before, in turn.",
        "Each subsequent play consists of one card, and cards must be alternately higher or lower than the "
        "previous play.",
    )
    DIRECTION = Ruling(
        "direction",
        "RULEBOOK 5 (10)",
        "`direction` is required on the first play under Above/Below, a joker play included, and malformed "
        "anywhere else.",
        "The rule maker plays any one card and announces whether the next card must be higher or lower in value.",
    )
    GIVEAWAY = Ruling(
        "giveaway",
        "RULEBOOK 5 (11)",
        "A giveaway is up to two cards of the hand, to other seats, one each or both to one; it can be declined.",
        "Under certain conditions a player can give two cards of their choosing to any other player(s).",
    )
    TURN_ORDER = Ruling(
        "turn-order",
        "RULEBOOK 5 (12)",
        "Turn order is clockwise; after an Ace's turn it goes on from the seat that played it.",
        "The player who set the new the rule is the first to play under that rule.",
    )
    PHASE = Ruling(
        "phase",
        "RULEBOOK 5",
        "Each phase has its moves: bid or pass; rule; give or decline; play, draw or pass.",
    )
    HAND = Ruling("own-cards", "RULEBOOK 5", "A seat moves cards of its own hand, each once.")
    NOT_DEALT = NOT_DEALT
    ABSENT = Ruling(
        "absent",
        "RULEBOOK 1",
        "For a seat past its limit the server passes a bid, names `high`, declines a giveaway, or draws and passes.",
    )
    OVER = OVER


RULINGS: tuple[Ruling, ...] = tuple(value for value in vars(Law).values() if isinstance(value, Ruling))
