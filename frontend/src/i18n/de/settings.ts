import type en from "../en/settings";
import type { Translation } from "../message";

export default {
  "set.title": "Einstellungen dieses Tisches",
  "set.move_limit": "Zeit je Zug: {time}",
  "set.game_limit": "Zeit für das Spiel: {time}",
  "set.draw_every": "Automatisches Ziehen alle {time}",
  "set.seconds": { one: "{count} Sekunde", other: "{count} Sekunden" },
  "set.minutes": { one: "{count} Minute", other: "{count} Minuten" },
  "set.hours": { one: "{count} Stunde", other: "{count} Stunden" },
} satisfies Translation<typeof en>;
