export default {
  "howto.racing-aces.aim": "The four aces race along their tracks; the first at the line wins. If every player has chosen a suit, the players of the winning suit win.",
  "howto.racing-aces.table": "Four tracks, one for each suit, each with its ace at the start.\nThe stock: the other 48 cards, shuffled.",
  "howto.racing-aces.turn": "Cards are drawn from the stock. Each moves the ace of its suit one place forward.\nPlayers cannot influence the race: the order of the cards decides, and it is fixed before the first draw.\nIf a market is open, you can bet on a suit before the first draw.",
  "howto.racing-aces.also": "The ace itself counts as the first place of its track.\nWith up to four seats every player has another suit; with more, two players at most have the same.\nPlayers with suits may agree on a pool: each stakes the same, and the players of the winning suit share it. If no player has that suit, the stakes go back.\nSome tables take cards away unseen before the off, or draw several at a time.",
  "howto.racing-aces.end": "With the first ace at the line. If cards were taken away, the stock may end before; then no ace has won.",
  "howto.racing-aces.keys": "Tab moves to the buttons, Enter or Space presses them.",
} as const;
