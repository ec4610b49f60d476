"""The sentences a move of Racing Demons can be refused with, and the source sentences that they settle."""

from __future__ import annotations

from games.rules.refusals import NOT_DEALT, OVER, Ruling


class Law:
    """The rulings of RULEBOOK 6."""

    TURN = Ruling(
        "turn",
        "RULEBOOK 6",
        "A turn brings up to `turn` cards from the stock to the waste, one by one; with the stock empty "
        "the waste is first flipped over, in the same event, and the order stays.",
        "When play begins, each player starts turning over their stock in threes (or one at a time for "
        "beginners).",
    )
    SOURCE = Ruling(
        "sources",
        "RULEBOOK 6",
        "A card moves from the top of the demon, from the waste that holds one, or from a work pile.",
        "Cards revealed from the stock can be placed on a work pile, as can the face-up card of the demon "
        "or any other card from a work pile.",
    )
    PACE = Ruling(
        "pace",
        "RULEBOOK 6",
        "Under `race` any seat moves at any time and the order of the stream decides who was first; under "
        "`turns` seats move clockwise from seat 0, one move each, and may `pass`.",
        "This results in each player racing against the others.",
    )
    WORK = Ruling(
        "work-piles-build-down",
        "RULEBOOK 6 (1)",
        "Work piles build down in alternating colours.",
        "A card can only be placed on the work piles if it is one lower in value and of opposing colour.",
    )
    RUN = Ruling(
        "runs",
        "RULEBOOK 6 (1)",
        "A run of any length moves from one work pile to another; a count beyond the run may not.",
        "Each player now essentially follows the rules of Solitaire.",
    )
    ITSELF = Ruling("onto-itself", "RULEBOOK 1", "A pile is not put onto itself.")
    FILLING = Ruling(
        "filling",
        "RULEBOOK 6 (2)",
        "An emptied work pile is filled from the demon at once, in the same event.",
        "If a work pile is emptied, replace it with the top of the demon.",
    )
    FOUNDATION = Ruling(
        "foundations-build-up",
        "RULEBOOK 6 (3)",
        "Any Ace may start a foundation; they are numbered as they are started, belong to nobody, build up "
        "by suit with cards of any pack, and close with the King.",
        "If an ace is revealed, it is placed in the middle of the play area and forms a new 'foundation'. "
        "Again, as in Solitaire cards can be placed on top of the foundation pile providing it is one "
        "higher in value and of the same suit. Once a King has been laid the foundation is complete and no "
        "more cards can be laid on top of it.",
    )
    ENDER = Ruling(
        "ender",
        "RULEBOOK 6 (4)",
        "A demon that becomes empty, by a play or by filling a pile, ends the game at once; that seat is "
        "the ender.",
        "The first player to empty their demon pile ends the game, and scoring begins.",
    )
    FIRST = Ruling(
        "who-was-first",
        "RULEBOOK 6 (5)",
        "A move is judged against the state in which it arrives, not the one its sender saw; the loser of "
        "a race for a foundation is told who was first.",
        "The foundations are communal and any player may add to any other player's foundation piles.",
    )
    SCORE = Ruling(
        "score",
        "RULEBOOK 6 (6)",
        "A seat scores the cards it put on foundations, less the cards left in its demon, five more for "
        "each King it put there and ten more if it is the ender; equal scores share the place.",
        "The player who ended the game scores 10 points and any player who placed a king on a foundation "
        "scores five for each foundation. Then everyone gets points equal to the number of cards they "
        "placed in the foundation minus the number of cards left in their demon.",
    )
    STUCK = Ruling(
        "stuck",
        "RULEBOOK 6 (7)",
        "`stuck` marks a seat that is not marked yet; when all are marked the stocks are burned, or the "
        "game ends without an ender.",
    )
    TIME = Ruling(
        "time-limit",
        "RULEBOOK 6 (8)",
        "The time limit runs from the deal; at it the game ends without an ender, and a move that comes "
        "then or later is too late.",
    )
    SPENT = Ruling(
        "last-move",
        "RULEBOOK 1",
        "The 10,000th move of a seat marks it for good; it makes no further move.",
    )
    SEATED = Ruling("seated", "RULEBOOK 6", "Only the seats of the game move.")
    NOT_DEALT = NOT_DEALT
    OVER = OVER


RULINGS: tuple[Ruling, ...] = tuple(value for value in vars(Law).values() if isinstance(value, Ruling))
