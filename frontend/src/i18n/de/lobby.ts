import type en from "../en/lobby";
import type { Translation } from "../message";

export default {
  "games.title": "Offene Spiele",
  "games.count": { one: "{count} Spiel wartet auf Mitspieler.", other: "{count} Spiele warten auf Mitspieler." },
  "games.none": "Kein Tisch ist offen.",
  "games.noneHint": "Eröffne einen: wähle oben ein Spiel.",
  "games.free": { one: "{count} freier Platz", other: "{count} freie Plätze" },
  "games.seats": "Plätze",
  "games.seatsValue": "{taken} von {total} besetzt",
  "games.stake": "Einsatz",
  "games.since": "Offen seit",
  "games.more": "Ältere Tische stehen in der Liste der API.",
  "games.enter": "Zum Tisch",
} satisfies Translation<typeof en>;
