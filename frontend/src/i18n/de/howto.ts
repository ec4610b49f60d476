import type en from "../en/howto";
import type { Translation } from "../message";

export default {
  "howto.title": "So wird {game} gespielt",
  "howto.aim": "Worum es geht",
  "howto.table": "Was auf dem Tisch liegt",
  "howto.turn": "Was du tust",
  "howto.also": "Gut zu wissen",
  "howto.end": "Wie es endet",
  "howto.keys": "Tasten",
  "howto.everywhere": "Pfeile gehen von Karte zu Karte.\nEnter oder Leertaste nimmt eine Karte und legt sie ab.\nEscape lässt los.\nH bittet um einen Tipp, wo der Tisch das erlaubt.\n? öffnet diese Seite.",

  "dialog.close": "Schließen",
} satisfies Translation<typeof en>;
