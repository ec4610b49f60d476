import type en from "../en/vegas";
import type { Translation } from "../message";

export default {
  "vegas.passes": { one: "noch {count} Durchgang", other: "noch {count} Durchgänge" },
  "vegas.arrow": "die oberste Karte passt",
  "vegas.figures": "Einsatz und Gewinn",
  "vegas.winRate": "Je Karte",
  "vegas.undo": "Zurücknehmen",
  "vegas.undoWhat": "Nimmt deinen letzten Zug zurück, einmal.",
  "vegas.undoNot": "Zurücknehmen lässt sich nur ein Ziehen oder eine Karte vom Talon oder von und zu einer Ablage, einmal, gleich danach.",
  "vegas.run": { one: "Nimmt {count} Karte.", other: "Nimmt {count} Karten." },
  "vegas.collect": "Beenden und auszahlen",
  "vegas.collectAsk": "Spiel beenden und {amount} auszahlen?",
  "vegas.endAsk": "Spiel beenden?",
  "vegas.collectYes": "Ja, beenden",
} satisfies Translation<typeof en>;
