import type en from "../en/race";
import type { Translation } from "../message";

export default {
  "race.of": "{done} von {line}",
  "race.yourSuit": "Deine Farbe",
  "race.pool": "Alle setzen gleich viel auf eine Farbe. Die Plätze der siegenden Farbe teilen den Topf; hat kein Platz sie, gehen alle Einsätze zurück.",
  "race.wins": { one: "{names} gewinnt mit {suit}.", other: "{names} gewinnen mit {suit}." },
  "race.winsYou": "Du gewinnst mit {suit}.",
  "race.winsYouAnd": "Du und {names} gewinnt mit {suit}.",
  "race.winsNone": "Das Ass der Farbe {suit} hat gewonnen. Diese Farbe hatte kein Platz.",
  "race.share": "{name}: {amount} aus dem Topf.",
  "race.stakesBack": "Alle Einsätze sind zurückgezahlt.",
  "race.leads": "führt",
  "race.won": "hat gewonnen",
  "race.stock": { one: "{count} Karte im Stapel.", other: "{count} Karten im Stapel." },
  "race.burned": "{count} kamen verdeckt weg.",
  "race.draw": "Ziehen",
  "race.row": "Karten: {suit}",
  "race.chance": "Chance {percent}",
  "race.latest": "Gezogen: {cards}.",
  "race.speed": "Tempo",
  "race.speed.step": "Schritt für Schritt",
  "race.speed.slow": "von selbst, langsam",
  "race.speed.brisk": "von selbst",
  "race.speed.fast": "von selbst, schnell",
  "race.operatorDraws": "Wer das Rennen eröffnet hat, zieht.",
  "race.houseDraws": { one: "Das Haus zieht jede Sekunde.", other: "Das Haus zieht alle {count} Sekunden." },
} satisfies Translation<typeof en>;
