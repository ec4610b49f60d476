"""The sentences a move of Idle Aces can be refused with, and the source sentences that they settle."""

from __future__ import annotations

from games.rules.refusals import NOT_DEALT, Ruling


class Law:
    """The rulings of RULEBOOK 4."""

    DRAW = Ruling(
        "draw",
        "RULEBOOK 4",
        "A draw turns up one card from the stock onto the waste, while the stock holds one.",
        "Turn the top card of the stock over to form the waste pile.",
    )
    REDEAL = Ruling(
        "redeal",
        "RULEBOOK 4",
        "Only when the stock is empty is the waste flipped over to be the stock, the same order again.",
        "To redeal, flip the waste pile over to reform the stock.",
    )
    REDEALS = Ruling(
        "redeals",
        "RULEBOOK 4",
        "There are as many redeals as the config says, one by default.",
        "When the stock is depleted, you may redeal once.",
    )
    WASTE = Ruling(
        "waste",
        "RULEBOOK 4",
        "Only the top card of the waste is available for play, while there is one.",
        "The top card of the waste pile is available for play as long as the previous rules are followed.",
    )
    TWOS = Ruling(
        "twos-build-up",
        "RULEBOOK 4 (1)",
        "A twos pile is built up from the 2 to the King, each card one rank higher than the top card; "
        "suits never matter.",
        "To add a card to a 2 foundation pile, it must be one rank higher than the top card of the pile it "
        "is being played onto.",
    )
    KINGS = Ruling(
        "kings-build-down",
        "RULEBOOK 4 (1)",
        "A kings pile is built down from the King to the Ace, each card one rank lower than the top card; "
        "suits never matter.",
        "To add a card to a king foundation pile, it must be one rank lower than the top card of the pile "
        "it is being played onto.",
    )
    BETWEEN = Ruling(
        "between-piles",
        "RULEBOOK 4",
        "The top card of a pile may move onto another pile that it fits.",
        "The top card of each 2 foundation pile and king foundation pile may be moved onto another "
        "foundation pile as long as the previous rules are being followed.",
    )
    BASE = Ruling(
        "bases-stay",
        "RULEBOOK 4 (2)",
        "The base card of a pile never leaves it.",
        "Remove a 2 and a king of each suit from the deck.",
    )
    ACES = Ruling(
        "aces",
        "RULEBOOK 4 (3)",
        "`aces` takes any Ace, from the waste or the top of a kings pile, while it holds fewer than four; "
        "what is in it stays.",
        "When an ace enters one of the ace foundation cells, it may not be removed, and no more cards may "
        "be added to this cell.",
    )
    IDLE_DRAW = Ruling(
        "drawing-is-free",
        "RULEBOOK 4 (4)",
        "Drawing while a play exists is legal.",
        "Continue to add the top card of the stock to the waste pile until the stock is depleted.",
    )
    LOST = Ruling(
        "lost",
        "RULEBOOK 4 (5)",
        "The game is lost at the moment that the stock is empty, no redeal is left, and no sequence of "
        "pile-to-pile plays can ever make the waste's top card playable; the server ends it.",
        "If there are no more moves after the stock is depleted a second time, and the foundation piles "
        "and foundation cells are not complete, the game is lost.",
    )
    WON = Ruling(
        "won",
        "RULEBOOK 4 (6)",
        "The game is won when all 104 cards are built; `resign` is a loss at once.",
        "Idle Aces is won if the stock and waste pile are depleted and all cards are built onto the eight "
        "foundation piles and four foundation cells.",
    )
    ITSELF = Ruling("onto-itself", "RULEBOOK 1", "A pile is not put onto itself.")
    ABSENT = Ruling("absent", "RULEBOOK 1", "A game left alone past its limit is resigned.")
    ONE_SEAT = Ruling("one-seat", "RULEBOOK 4", "The game has one seat, and only that seat moves.")
    NOT_DEALT = NOT_DEALT
    OVER = Ruling(
        "over",
        "RULEBOOK 1",
        "`finished` or `voided` is last and nothing follows it.",
        "When there are no more moves after the stock is depleted twice, the game is over.",
    )


RULINGS: tuple[Ruling, ...] = tuple(value for value in vars(Law).values() if isinstance(value, Ruling))
