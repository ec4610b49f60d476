export default {
  "bot.steady": "rozważny",
  "bot.strong": "silny",
  "bot.random": "losowy",
  "bot.bold": "śmiały",

  "seat.you": "Ty",
  "seat.youToo": "ty",
  "seat.number": "Miejsce {seat}",
  "seat.one": "{name} (miejsce {seat})",
  "seat.bot": "{name} (bot)",
  "seat.owned": "{name} (bot gracza {owner})",
  "seat.house": "Bot {seat} ({bot})",
  "seat.away": "nieobecność: {time}",
  "seat.gone": "Utracono połączenie: {names}.",

  "cash.stake": "Stawka",
  "cash.winnings": "Wygrana",
};
