export default {
  "card.name": "{suit}-{rank}",
  "card.joker": "Joker",
  "card.hidden": "verdeckte Karte",

  "suit.C": "Kreuz",
  "suit.D": "Karo",
  "suit.H": "Herz",
  "suit.S": "Pik",

  "rank.A": "Ass",
  "rank.2": "Zwei",
  "rank.3": "Drei",
  "rank.4": "Vier",
  "rank.5": "Fünf",
  "rank.6": "Sechs",
  "rank.7": "Sieben",
  "rank.8": "Acht",
  "rank.9": "Neun",
  "rank.T": "Zehn",
  "rank.J": "Bube",
  "rank.Q": "Dame",
  "rank.K": "König",

  "pile.stock": "Stapel",
  "pile.waste": "Talon",
  "pile.foundation": "Ablage {suit}",
};
