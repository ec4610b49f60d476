"""The sentences a move of Vegas Solitaire can be refused with, and the source sentences that they settle."""

from __future__ import annotations

from games.rules.refusals import NOT_DEALT, Ruling


class Law:
    """The rulings of RULEBOOK 3."""

    DRAW = Ruling(
        "draw",
        "RULEBOOK 3",
        "A draw turns up to `draw` cards from the stock, one by one, face up onto the waste.",
        "When playing the 1 Draw game one card is drawn, when playing the 3 Draw game, three are drawn (or "
        "less if there are not 3 cards remaining).",
    )
    FAN = Ruling(
        "fan",
        "RULEBOOK 3",
        "The fan is the latest draw's own cards; when they have all been played the card beneath is shown, "
        "one at a time.",
        "Should all three of the most recently drawn cards in the Play Deck be moved on to the column or "
        "Foundation Stacks, then the last card that was beneath them in the Play Deck that was drawn "
        "previously will be revealed again.",
    )
    EXHAUSTED = Ruling(
        "exhausted",
        "RULEBOOK 3 (9)",
        "Nothing is drawn from an empty stock; at the last pass an empty stock is exhausted.",
        "Once you have gone through the Stockpile the maximum allowed times, an X will appear on the empty "
        "Stockpile area. You will not be allowed to draw any more cards and may only play cards from the "
        "Play Deck.",
    )
    PASSES = Ruling(
        "passes",
        "RULEBOOK 3 (9)",
        "`passes_left` counts the passes still to begin or under way: 1 Draw passes through the stock "
        "once, 3 Draw three times.",
        "You may pass through the Stockpile once when playing the 1 Draw game or three times when playing "
        "the 3 Draw game.",
    )
    RECYCLE = Ruling(
        "recycle",
        "RULEBOOK 3",
        "The waste is flipped over to be the stock only when the stock is empty and the waste is not; the "
        "order stays.",
        "You may click on the empty Stockpile to flip over the Play Deck (keeping the cards in the same "
        "order) and place them face down there ready to use again.",
    )
    COLUMN = Ruling(
        "columns-build-down",
        "RULEBOOK 3 (1)",
        "Columns build down in alternating colours.",
        "You may only move a card on to one that is one number higher in value and of the opposite colour "
        "(ie, you may only move a black 6 on to a red 7).",
    )
    RUN = Ruling(
        "face-up-runs",
        "RULEBOOK 3 (2)",
        "Any face-up run may move, whole or split; a count beyond the run may not.",
        "You may split columns, ie, move a partial stack between Column Stacks.",
    )
    EMPTY_COLUMN = Ruling(
        "empty-column",
        "RULEBOOK 3 (2)",
        "Onto an empty column a run moves only with a King as its head.",
        "Only a king can be placed on an empty column stack.",
    )
    FLIP = Ruling(
        "flip",
        "RULEBOOK 3 (3)",
        "A card is turned up only by `flip`, and only the last card of a column; a face-down card neither "
        "moves nor is built on.",
        "Should a card be moved leaving a column stack with all cards face down you can click the last "
        "card to turn it face up.",
    )
    UNDO = Ruling(
        "undo",
        "RULEBOOK 3 (4)",
        "`undo` takes back the last move of the game, once, and only a draw, a move from the waste, or a "
        "move between foundation and column.",
        "Undo can only be used to undo the last action, and can only be used on the following actions: "
        "moving cards from the Play Deck to the Foundation Stacks or Column Stacks; moving cards between "
        "the Foundation Stacks and Column Stacks; drawing card(s) from the Stockpile to the Play Deck.",
    )
    SOURCE = Ruling(
        "sources",
        "RULEBOOK 3 (5)",
        "A card moves from the waste, a foundation or a column that holds one; nothing returns to the waste.",
        "You may also move cards back from the foundation stacks to the column stacks but not to the play "
        "deck.",
    )
    ITSELF = Ruling(
        "onto-itself",
        "RULEBOOK 1",
        "A pile is not put onto itself.",
    )
    FOUNDATION = Ruling(
        "foundations-build-up",
        "RULEBOOK 3",
        "A foundation is built up by suit from the Ace to the King.",
        "To place a card on top of a foundation stack, it has to be the same suit, and continue the "
        "sequence by being the value one higher than the top card of the stack.",
    )
    WINNINGS = Ruling(
        "winnings",
        "RULEBOOK 3 (6)",
        "Winnings are the win rate times the cards on the foundations, always; they are paid only at "
        "`collect`, which is legal at any time after the deal.",
        "Your winnings are only added to your account balance at the end of the game (when you press the "
        "End Game And Collect button).",
    )
    AUTO = Ruling(
        "goes-up-by-itself",
        "RULEBOOK 3 (7)",
        "When every card is face up and stock and waste are both empty, the cards go up by themselves; "
        "after that only `collect` is legal.",
        "If all cards have been turned face up and there are no cards left in the stockpile/play deck then "
        "the cards will automatically be put up to the foundation stacks at this point and the game "
        "completed with the maximum winnings.",
    )
    ABSENT = Ruling(
        "absent",
        "RULEBOOK 3 (8)",
        "A game left alone past its limit is collected for the player, never lost.",
    )
    ONE_SEAT = Ruling("one-seat", "RULEBOOK 3", "The game has one seat, and only that seat moves.")
    NOT_DEALT = NOT_DEALT
    OVER = Ruling(
        "over",
        "RULEBOOK 1",
        "`finished` or `voided` is last and nothing follows it.",
        "Select this to finish the current game of online Solitaire.",
    )


RULINGS: tuple[Ruling, ...] = tuple(value for value in vars(Law).values() if isinstance(value, Ruling))
