import type en from "../en/board";
import type { Translation } from "../../../i18n/message";

export default {
  "race.of": "{done} von {line}",
  "race.yourSuit": "Deine Farbe",
  "race.wins": { one: "{names} gewinnt mit {suit}.", other: "{names} gewinnen mit {suit}." },
  "race.winsYou": "Du gewinnst mit {suit}.",
  "race.winsYouAnd": "Du und {names} gewinnt mit {suit}.",
  "race.winsNone": "Das Ass der Farbe {suit} gewinnt. Kein Platz hatte diese Farbe.",
  "race.share": "{name}: {amount} aus dem Topf.",
  "race.stakesBack": "Alle Einsätze wurden erstattet.",
  "race.leads": "führt",
  "race.won": "gewinnt",
  "race.stock": { one: "{count} Karte im Stapel.", other: "{count} Karten im Stapel." },
  "race.burned": "{count} verdeckt entfernt.",
  "race.draw": "Ziehen",
  "race.row": "Karten: {suit}",
  "race.chance": "Chance {percent}",
  "race.latest": "Gezogen: {cards}.",
  "race.speed": "Tempo",
  "race.speed.step": "Schritt für Schritt",
  "race.speed.slow": "automatisch, langsam",
  "race.speed.brisk": "automatisch",
  "race.speed.fast": "automatisch, schnell",
  "race.operatorDraws": "Wer das Rennen eröffnet hat, zieht.",
  "race.houseDraws": { one: "Jede Sekunde wird automatisch gezogen.", other: "Alle {count} Sekunden wird automatisch gezogen." },
} satisfies Translation<typeof en>;
