export default {
  "bot.steady": "steady",
  "bot.strong": "strong",
  "bot.random": "random",
  "bot.bold": "bold",

  "seat.you": "You",
  "seat.youToo": "you",
  "seat.number": "Seat {seat}",
  "seat.one": "{name} (seat {seat})",
  "seat.bot": "{name} (bot)",
  "seat.owned": "{name} (bot of {owner})",
  "seat.house": "Bot {seat} ({bot})",
  "seat.away": "away, {time}",
  "seat.gone": "Connection lost: {names}.",

  "cash.stake": "Stake",
  "cash.winnings": "Winnings",
} as const;
