export default {
  "about.racing-aces": "Four aces race: choose a suit, watch, or bet",

  "tip.racing-aces.1": "Each suit has a track. Its ace moves forward when a card of the suit is drawn.",
  "tip.racing-aces.2": "The steps of the ace so far, and those to the line. The first ace at the line wins.",
  "tip.racing-aces.3": "The cards that are left. Their order was fixed before the first draw; no one can change it.",
  "picture.racing-aces.aces": "The four runners",

  "howto.racing-aces.aim": "The four aces race along their tracks; the first at the line wins. If every player has chosen a suit, the players of the winning suit win.",
  "howto.racing-aces.table": "Four tracks, one for each suit, each with its ace at the start.\nThe stock: the other 48 cards, shuffled.",
  "howto.racing-aces.turn": "Cards are drawn from the stock. Each moves the ace of its suit one place forward.\nPlayers cannot influence the race: the order of the cards decides, and it is fixed before the first draw.\nIf a market is open, you can bet on a suit before the first draw.",
  "howto.racing-aces.also": "The ace itself counts as the first place of its track.\nWith up to four seats every player has another suit; with more, at most two players have the same.\nPlayers with suits may agree on a pool: each stakes the same, and the players of the winning suit share it. If no player has that suit, the stakes are refunded.\nAt some tables, cards are removed unseen before the start, or several are drawn at a time.",
  "howto.racing-aces.end": "The race ends when the first ace reaches the line. If cards were removed, the stock may run out first; then no ace wins.",
  "howto.racing-aces.keys": "Tab moves to the buttons, Enter or Space presses them.",

  "option.racing-aces.suits": "Suits",
  "option.racing-aces.suits.none": "No suits: a race to watch or to bet on",
  "option.racing-aces.suits.chosen": "Each player chooses a suit",
  "option.racing-aces.finish_line": "Cards to the finish, ace included (2 to 13)",
  "option.racing-aces.cards_per_draw": "Cards per draw (1 to 4)",
  "option.racing-aces.burn": "Cards removed unseen before the start",

  "explain.racing-aces.suits.chosen": "You win if your suit is first at the line. With up to four seats all suits differ; at larger tables at most two players share a suit.",
  "explain.racing-aces.finish_line": "The first suit whose row has this many cards wins. The chances are equal at any length.",
  "explain.racing-aces.cards_per_draw": "All cards of a draw are placed; if two rows reach the line, the one completed first wins.",
  "explain.racing-aces.burn": "Removed cards stay hidden. Without them it can happen that no suit reaches the line: then there is no winner.",

  "set.racing-aces.suits.chosen": "Each player chooses a suit",
  "set.racing-aces.finish_line": { one: "Finish after {count} card, the ace included", other: "Finish after {count} cards, the ace included" },
  "set.racing-aces.cards_per_draw": { one: "{count} card per draw", other: "{count} cards per draw" },
  "set.racing-aces.burn": { one: "{count} card removed unseen before the start", other: "{count} cards removed unseen before the start" },

  "outcome.racing-aces.suit": "The ace of {suit} wins.",
  "outcome.racing-aces.no-winner": "No ace reached the line.",
} as const;
