import type en from "../en/house";
import type { Translation } from "../message";

export default {
  "bot.steady": "besonnen",
  "bot.strong": "stark",
  "bot.random": "zufällig",
  "bot.bold": "kühn",

  "seat.you": "Du",
  "seat.youToo": "du",
  "seat.number": "Platz {seat}",
  "seat.one": "{name} (Platz {seat})",
  "seat.bot": "{name} (Haus)",
  "seat.house": "Haus {seat} ({bot})",

  "cash.title": "Kasse",
  "cash.balance": "Dein Guthaben",
  "cash.session": "im Spiel",
  "cash.in": "Einzahlen",
  "cash.out": "Auszahlen",
  "cash.amount": "Betrag ({currency})",
  "cash.history": { one: "Verlauf: {count} Spiel", other: "Verlauf: {count} Spiele" },
  "cash.stake": "Einsatz",
  "cash.winnings": "Gewinn",

  "seed.label": "Dein Teil des Mischens (freiwillig)",
  "seed.why": "Irgendein Text. Gegeben wird aus einem Geheimnis, auf das sich das Haus festgelegt hat, und aus den Texten aller Mitspielenden: Niemand kann das Blatt allein bestimmen.",
} satisfies Translation<typeof en>;
