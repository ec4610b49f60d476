export default {
  "howto.title": "How to play {game}",
  "howto.aim": "Aim",
  "howto.table": "The table",
  "howto.turn": "Your moves",
  "howto.also": "Good to know",
  "howto.end": "End of the game",
  "howto.keys": "Keys",
  "howto.everywhere": "Arrow keys move from card to card.\nEnter or Space picks up a card and puts it down.\nEscape cancels.\n{hint} shows a hint, if the table allows hints.\n{help} opens this help.",

} as const;
