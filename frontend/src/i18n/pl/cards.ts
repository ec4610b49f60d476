export default {
  "card.name": "{rank} {suit}",
  "card.joker": "joker",
  "card.hidden": "zakryta karta",

  "suit.C": "trefl",
  "suit.D": "karo",
  "suit.H": "kier",
  "suit.S": "pik",

  "rank.A": "as",
  "rank.2": "dwójka",
  "rank.3": "trójka",
  "rank.4": "czwórka",
  "rank.5": "piątka",
  "rank.6": "szóstka",
  "rank.7": "siódemka",
  "rank.8": "ósemka",
  "rank.9": "dziewiątka",
  "rank.T": "dziesiątka",
  "rank.J": "walet",
  "rank.Q": "dama",
  "rank.K": "król",

  "pile.stock": "talon",
  "pile.waste": "stos odkryty",
  "pile.foundation": "stos bazowy {suit}",
};
