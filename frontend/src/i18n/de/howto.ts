import type en from "../en/howto";
import type { Translation } from "../message";

export default {
  "howto.title": "So wird {game} gespielt",
  "howto.aim": "Ziel",
  "howto.table": "Der Tisch",
  "howto.turn": "Deine Züge",
  "howto.also": "Gut zu wissen",
  "howto.end": "Spielende",
  "howto.keys": "Tasten",
  "howto.everywhere": "Pfeiltasten führen von Karte zu Karte.\nEnter oder Leertaste nimmt eine Karte auf und legt sie ab.\nEscape bricht ab.\n{hint} zeigt einen Tipp, wenn der Tisch Tipps erlaubt.\n{help} öffnet diese Hilfe.",

} satisfies Translation<typeof en>;
