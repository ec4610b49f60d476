import type en from "../en/vegas";
import type { Translation } from "../message";

export default {
  "vegas.passes": { one: "noch {count} Durchgang", other: "noch {count} Durchgänge" },
  "vegas.lastPass": "letzter Durchgang",
  "vegas.noPass": "kein Durchgang mehr",
  "vegas.arrow": "die oberste Karte passt",
  "vegas.figures": "Einsatz und Gewinn",
  "vegas.winRate": "Je Karte",
  "vegas.undo": "Zurücknehmen",
  "vegas.undoWhat": "Nimmt deinen letzten Zug zurück, einmal.",
  "vegas.undoDraw": { one: "Nimmt das Ziehen von {count} Karte zurück.", other: "Nimmt das Ziehen von {count} Karten zurück." },
  "vegas.undoMove": "Nimmt zurück: {card}, {from} nach {to}.",
  "vegas.undoNot": "Zurücknehmen lässt sich nur ein Ziehen oder eine Karte vom Talon oder von und zu einer Ablage, einmal, gleich danach.",
  "vegas.undoNone": "Kein Zug zum Zurücknehmen.",
  "vegas.undoOnce": "Du hast eben einen Zug zurückgenommen. Zieh erst weiter.",
  "vegas.undoFlip": "Aufdecken lässt sich nicht zurücknehmen.",
  "vegas.undoColumns": "Ein Zug zwischen Spalten lässt sich nicht zurücknehmen.",
  "vegas.undoRecycle": "Umdrehen lässt sich nicht zurücknehmen.",
  "vegas.undoComplete": "Alle Karten sind oben; du kannst nur noch auszahlen.",
  "vegas.run": { one: "Nimmt {count} Karte.", other: "Nimmt {count} Karten." },
  "vegas.collect": "Beenden und auszahlen",
  "vegas.collectAsk": "Spiel beenden und {amount} auszahlen?",
  "vegas.endAsk": "Spiel beenden?",
  "vegas.collectYes": "Beenden",
  "vegas.collectSum": "{amount} auszahlen",
} satisfies Translation<typeof en>;
