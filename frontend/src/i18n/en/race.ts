export default {
  "race.of": "{done} of {line}",
  "race.leads": "leads",
  "race.won": "has won",
  "race.stock": { one: "{count} card in the stock.", other: "{count} cards in the stock." },
  "race.burned": "{count} were dealt unseen.",
  "race.draw": "Draw",
} as const;
