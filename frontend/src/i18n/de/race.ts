import type en from "../en/race";
import type { Translation } from "../message";

export default {
  "race.of": "{done} von {line}",
  "race.leads": "führt",
  "race.won": "hat gewonnen",
  "race.stock": { one: "{count} Karte im Stapel.", other: "{count} Karten im Stapel." },
  "race.burned": "{count} kamen verdeckt weg.",
  "race.draw": "Ziehen",
} satisfies Translation<typeof en>;
