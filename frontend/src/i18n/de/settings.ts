import type en from "../en/settings";
import type { Translation } from "../message";

export default {
  "set.title": "Einstellungen dieses Tisches",
  "set.draw.1": "Eine Karte, ein Durchgang",
  "set.draw.3": "Drei Karten, drei Durchgänge",
  "set.redeals": { one: "{count}-mal umdrehen im Spiel", other: "{count}-mal umdrehen im Spiel" },
  "set.continuation.strict": "Nach Gleichen oder einer Reihe darf eine Karte folgen, danach keine weitere (streng)",
  "set.continuation.chained": "Nach Gleichen oder einer Reihe dürfen einzelne Karten nacheinander folgen (verkettet)",
  "set.turn.1": "Eine Karte je Aufdecken",
  "set.turn.3": "Drei Karten je Aufdecken",
  "set.pace.race": "Rennen: alle spielen zugleich",
  "set.pace.turns": "Reihum, je ein Zug",
  "set.stuck.burn": "Stecken alle fest: neue Stapel",
  "set.stuck.end": "Stecken alle fest: Das Spiel endet",
  "set.suits.chosen": "Alle treten mit einer Farbe an",
  "set.finish_line": { one: "Ziel nach {count} Karte, das Ass eingerechnet", other: "Ziel nach {count} Karten, das Ass eingerechnet" },
  "set.cards_per_draw": { one: "{count} Karte je Zug", other: "{count} Karten je Zug" },
  "set.burn": { one: "{count} Karte vor dem Start verdeckt weg", other: "{count} Karten vor dem Start verdeckt weg" },
  "set.time_limit": "Zeit für das ganze Spiel: {time}",
  "set.move_limit": "Zeit für einen Zug: {time}",
  "set.game_limit": "Zeit für das Spiel: {time}",
  "set.draw_every": "Ein Zug alle: {time}",
  "set.seconds": { one: "{count} Sekunde", other: "{count} Sekunden" },
  "set.minutes": { one: "{count} Minute", other: "{count} Minuten" },
  "set.hours": { one: "{count} Stunde", other: "{count} Stunden" },
} satisfies Translation<typeof en>;
