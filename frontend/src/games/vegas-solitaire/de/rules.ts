import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 3), by the keys of their rulings. */
export default {
  "ruling.vegas-solitaire.draw":
    "Gezogen wird eine Karte (1 Draw) oder bis zu drei (3 Draw), eine nach der anderen, offen auf den Talon.",
  "ruling.vegas-solitaire.fan":
    "Der Fächer sind die zuletzt gezogenen Karten; sind sie alle gespielt, zeigt sich die Karte darunter, immer eine.",
  "ruling.vegas-solitaire.exhausted":
    "Aus einem leeren Stapel wird nichts gezogen; im letzten Durchgang ist ein leerer Stapel erschöpft.",
  "ruling.vegas-solitaire.passes": "1 Draw geht einmal durch den Stapel, 3 Draw dreimal.",
  "ruling.vegas-solitaire.recycle":
    "Der Talon wird nur umgedreht, wenn der Stapel leer ist und der Talon nicht; die Reihenfolge bleibt.",
  "ruling.vegas-solitaire.columns-build-down": "In den Spalten geht es abwärts, Rot und Schwarz im Wechsel.",
  "ruling.vegas-solitaire.face-up-runs":
    "Jede offene Folge darf gehen, ganz oder geteilt; mehr Karten, als sie hat, nicht.",
  "ruling.vegas-solitaire.empty-column": "Auf eine leere Spalte geht eine Folge nur mit einem König vorn.",
  "ruling.vegas-solitaire.flip": "Aufgedeckt wird eine Karte nur durch einen eigenen Zug, und nur die letzte einer Spalte; eine verdeckte Karte geht nirgendwohin, und auf ihr wird nicht gebaut.",
  "ruling.vegas-solitaire.undo":
    "Zurücknehmen lässt sich der letzte Zug, einmal, und nur ein Ziehen, eine Karte vom Talon oder eine zwischen Ablage und Spalte.",
  "ruling.vegas-solitaire.sources":
    "Eine Karte geht vom Talon, von einer Ablage oder von einer Spalte aus, in der eine liegt; auf den Talon geht nichts zurück.",
  "ruling.vegas-solitaire.onto-itself": "Ein Stapel wird nicht auf sich selbst gelegt.",
  "ruling.vegas-solitaire.foundations-build-up": "Eine Ablage steigt in ihrer Farbe vom Ass bis zum König.",
  "ruling.vegas-solitaire.winnings":
    "Der Gewinn ist immer der Betrag je Karte mal die Karten auf den Ablagen; gezahlt wird er erst beim Auszahlen, das nach dem Geben jederzeit möglich ist.",
  "ruling.vegas-solitaire.goes-up-by-itself":
    "Liegen alle Karten offen und sind Stapel und Talon leer, gehen die Karten von selbst auf die Ablagen; danach kannst du nur noch auszahlen.",
  "ruling.vegas-solitaire.absent": "Ist die Zeit um, wird das Spiel für dich ausgezahlt; es geht nie verloren.",
  "ruling.vegas-solitaire.one-seat": "Das Spiel hat einen Platz, und nur der zieht.",
  "ruling.vegas-solitaire.not-dealt": "Gegeben wird, wenn alle Plätze beigetragen haben (beim Start).",
  "ruling.vegas-solitaire.over": "Ein Spiel, das zu Ende oder abgesagt ist, geht nicht weiter.",
} as const satisfies Catalogue;
