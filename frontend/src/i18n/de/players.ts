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
  "seat.away": "abwesend, {time}",
  "seat.gone": "Verbindung verloren: {names}.",

  "cash.stake": "Einsatz",
  "cash.winnings": "Gewinn",
};
