export default {
  "about.vegas-solitaire": "Each card on the foundations pays",

  "tip.vegas-solitaire.1": "Press the stock to draw cards onto the play deck.",
  "tip.vegas-solitaire.2": "Build the columns down, red and black in turn. Drag a card, or press it and then its place.",
  "tip.vegas-solitaire.3": "Bring aces up here, then each suit to the king. Every card here pays; a double click sends one up.",
  "picture.vegas-solitaire.foundation": "On a foundation: one suit, up from the ace",
  "picture.vegas-solitaire.column": "In a column: down by one, red and black in turn",

  "howto.vegas-solitaire.aim": "Bring the cards up to the four foundations, suit by suit from ace to king. Each card on a foundation at the end pays the win rate.",
  "howto.vegas-solitaire.table": "Top left: the stock, face down, and the play deck with the cards drawn from it.\nTop right: the four foundations, one for each suit.\nBelow: seven columns; the last card of each is face up.",
  "howto.vegas-solitaire.turn": "Drag a card to where it should lie, or press the card and then the place. Places that take it are framed.\nIn the columns cards go down by one, red and black in turn: a black six on a red seven. Face-up cards may go together, all of a run or a part of it.\nOnly a king, or a run that begins with one, goes onto an empty column.\nA foundation begins with an ace and goes up by one in its suit. A double click sends a card there. Cards may also come down again; that costs what they had won.\nPress a face-down card at the end of a column to turn it up. It does not turn by itself.\nPress the stock to draw: one card in the 1 Draw game, three in the 3 Draw game. The top card of the play deck can be played; an arrow stands above it while it can.",
  "howto.vegas-solitaire.also": "1 Draw goes through the stock once, 3 Draw three times: when it is empty, press it to turn the play deck over. An X means that no passes are left.\nUndo takes back the last move if it was a draw, or a card from the play deck, or to or from a foundation; once, right after it.",
  "howto.vegas-solitaire.end": "You can end the game at any time: End game and collect pays out your winnings. When every card is face up and stock and play deck are empty, all cards move up automatically.",
  "howto.vegas-solitaire.keys": "1 to 7: the columns.\n{longer} and {shorter}: how many cards a column's key takes.\n{waste}: the play deck. {stock}: the stock.\n{foundation}: to the foundation.\n{undo}: undo. {end}: end and collect.",

  "option.vegas-solitaire.draw": "Version",
  "option.vegas-solitaire.draw.1": "1 Draw: one card at a time, one pass",
  "option.vegas-solitaire.draw.3": "3 Draw: three cards at a time, three passes",

  "explain.vegas-solitaire.draw": "Each card on the foundations pays. You can end the game at any time.",
  "explain.vegas-solitaire.draw.1": "You see every card of the stock, but only once.",
  "explain.vegas-solitaire.draw.3": "Only the top one of three cards can be played; you go through the stock three times.",

  "set.vegas-solitaire.draw.1": "1 Draw: one card at a time, one pass",
  "set.vegas-solitaire.draw.3": "3 Draw: three cards at a time, three passes",

  "outcome.vegas-solitaire.collected": { one: "{count} card on the foundations: {amount} collected.", other: "{count} cards on the foundations: {amount} collected." },

  "vegas.receipt": "Receipt",
  "vegas.print": "Print receipt",
  "vegas.game": "Game",
  "vegas.player": "Player",
  "vegas.ended": "Ended",
  "vegas.version": "Version",
  "vegas.cards": "Cards on the foundations",
  "vegas.onFoundations": { one: "{count} card on the foundations", other: "{count} cards on the foundations" },
  "vegas.net": "Net",
  "vegas.proof": "Hash of the last event",
  "vegas.historyMore": "Show earlier games",
  "vegas.historyNone": "No games for money yet.",
  "vegas.version1": "1 Draw",
  "vegas.version3": "3 Draw",

  "replay.event.collect": "ended the game and collected",
} as const;
