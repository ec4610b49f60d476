export default {
  "howto.title": "How to play {game}",
  "howto.aim": "What it is about",
  "howto.table": "What lies on the table",
  "howto.turn": "What you do",
  "howto.also": "Good to know",
  "howto.end": "How it ends",
  "howto.keys": "Keys",
  "howto.everywhere": "Arrows go from card to card.\nEnter or Space takes a card, and lays it down.\nEscape lets go.\nH asks for a hint, where the table allows one.\n? opens this page.",

  "dialog.close": "Close",
} as const;
