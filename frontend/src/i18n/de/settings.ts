import type en from "../en/settings";
import type { Translation } from "../message";

export default {
  "set.title": "Einstellungen dieses Tisches",
  "set.draw.1": "Eine Karte, ein Durchgang",
  "set.draw.3": "Drei Karten, drei Durchgänge",
  "set.redeals": { one: "{count}-mal umdrehen im Spiel", other: "{count}-mal umdrehen im Spiel" },
  "set.continuation.strict": "Nach einem Mehrling oder einer Serie darf eine Karte folgen, danach keine weitere (streng)",
  "set.continuation.chained": "Nach einem Mehrling oder einer Serie dürfen einzelne Karten nacheinander folgen (verkettet)",
  "set.turn.1": "Eine Karte je Aufdecken",
  "set.turn.3": "Drei Karten je Aufdecken",
  "set.pace.race": "Rennen: alle spielen zugleich",
  "set.pace.turns": "Reihum, je ein Zug",
  "set.stuck.burn": "Stecken alle fest: erste Karte jedes Stapels ans Ende",
  "set.stuck.end": "Stecken alle fest: Das Spiel endet",
  "set.suits.chosen": "Jeder wählt eine Farbe",
  "set.finish_line": { one: "Ziel nach {count} Karte, das Ass eingerechnet", other: "Ziel nach {count} Karten, das Ass eingerechnet" },
  "set.cards_per_draw": { one: "{count} Karte je Ziehen", other: "{count} Karten je Ziehen" },
  "set.burn": { one: "{count} Karte vor dem Start verdeckt entfernt", other: "{count} Karten vor dem Start verdeckt entfernt" },
  "set.time_limit": "Zeitlimit des Spiels: {time}",
  "set.move_limit": "Zeit je Zug: {time}",
  "set.game_limit": "Zeit für das Spiel: {time}",
  "set.draw_every": "Automatisches Ziehen alle {time}",
  "set.seconds": { one: "{count} Sekunde", other: "{count} Sekunden" },
  "set.minutes": { one: "{count} Minute", other: "{count} Minuten" },
  "set.hours": { one: "{count} Stunde", other: "{count} Stunden" },
} satisfies Translation<typeof en>;
