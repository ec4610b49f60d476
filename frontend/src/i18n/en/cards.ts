export default {
  "card.name": "{rank} of {suit}",
  "card.joker": "joker",
  "card.hidden": "face-down card",

  "suit.C": "clubs",
  "suit.D": "diamonds",
  "suit.H": "hearts",
  "suit.S": "spades",

  "rank.A": "ace",
  "rank.2": "two",
  "rank.3": "three",
  "rank.4": "four",
  "rank.5": "five",
  "rank.6": "six",
  "rank.7": "seven",
  "rank.8": "eight",
  "rank.9": "nine",
  "rank.T": "ten",
  "rank.J": "jack",
  "rank.Q": "queen",
  "rank.K": "king",

  "pile.stock": "stock",
  "pile.waste": "play deck",
  "pile.foundation": "foundation of {suit}",
} as const;
