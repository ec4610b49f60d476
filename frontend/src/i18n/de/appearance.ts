import type en from "../en/appearance";
import type { Translation } from "../message";

export default {
  "appearance.colour": "Tisch",
  "appearance.green": "grün",
  "appearance.red": "rot",
  "appearance.blue": "blau",
  "appearance.back": "Kartenrücken",
  "appearance.four": "Vier Farben für die Kartenfarben",
  "appearance.sound": "Ton",

  "appearance.history": "Bisherige Spiele",
} satisfies Translation<typeof en>;
