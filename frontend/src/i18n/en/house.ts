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

  "cash.stake": "Stake",
  "cash.winnings": "Winnings",
} as const;
