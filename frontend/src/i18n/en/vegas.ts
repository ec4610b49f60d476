export default {
  "vegas.passes": { one: "{count} pass left", other: "{count} passes left" },
  "vegas.arrow": "the top card can be played",
  "vegas.figures": "Stake and winnings",
  "vegas.winRate": "Win rate",
  "vegas.undo": "Undo",
  "vegas.undoWhat": "Takes your last move back, once.",
  "vegas.undoNot": "Only a draw, or a card moved from the play deck or to or from a foundation, can be undone, once, right after it.",
  "vegas.run": { one: "Takes {count} card.", other: "Takes {count} cards." },
  "vegas.collect": "End game and collect",
  "vegas.collectAsk": "End the game and collect {amount}?",
  "vegas.endAsk": "End the game?",
  "vegas.collectYes": "Yes, end it",
} as const;
