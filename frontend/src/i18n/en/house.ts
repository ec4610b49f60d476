export default {
  "bot.steady": "steady",
  "bot.strong": "strong",
  "bot.random": "by chance",
  "bot.bold": "bold",

  "seat.you": "You",
  "seat.youToo": "you",
  "seat.number": "Seat {seat}",
  "seat.one": "{name} (seat {seat})",
  "seat.bot": "{name} (house)",
  "seat.house": "House {seat} ({bot})",

  "cash.title": "Cash desk",
  "cash.balance": "Your balance",
  "cash.session": "in play",
  "cash.in": "Cash in",
  "cash.out": "Cash out",
  "cash.amount": "Amount ({currency})",
  "cash.history": { one: "Betting history: {count} game", other: "Betting history: {count} games" },
  "cash.stake": "Stake",
  "cash.winnings": "Winnings",

  "seed.label": "Your part of the shuffle (optional)",
  "seed.why": "Any text. The deal is made from a secret that the house has committed to and from the texts of all who play, so nobody alone can choose it.",
} as const;
