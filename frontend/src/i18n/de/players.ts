export default {
  "bot.steady": "besonnen",
  "bot.strong": "stark",
  "bot.random": "zufällig",
  "bot.bold": "kühn",

  "seat.you": "Du",
  "seat.youToo": "du",
  "seat.number": "Platz {seat}",
  "seat.one": "{name} (Platz {seat})",
  "seat.bot": "{name} (Bot)",
  "seat.owned": "{name} (Bot von {owner})",
  "seat.house": "Bot {seat} ({bot})",

  "cash.stake": "Einsatz",
  "cash.winnings": "Gewinn",
};
