import type en from "../en/look";
import type { Translation } from "../message";

export default {
  "look.colour": "Tisch",
  "look.green": "grün",
  "look.red": "rot",
  "look.blue": "blau",
  "look.back": "Kartenrücken",
  "look.four": "Vier Farben für die Kartenfarben",
  "look.sound": "Ton",

  "look.history": "Bisherige Spiele",
} satisfies Translation<typeof en>;
