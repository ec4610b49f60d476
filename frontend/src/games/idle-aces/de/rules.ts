import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 4), by the keys of their rulings. */
export default {
  "ruling.idle-aces.draw": "Gezogen wird eine Karte vom verdeckten Stapel auf den Talon, solange dort welche liegen.",
  "ruling.idle-aces.redeal":
    "Nur wenn der verdeckte Stapel leer ist, wird der Talon umgedreht; die Reihenfolge bleibt.",
  "ruling.idle-aces.redeals": "Umgedreht wird so oft, wie der Tisch festlegt; sonst einmal.",
  "ruling.idle-aces.waste": "Vom Talon ist nur die oberste Karte spielbar, solange dort eine liegt.",
  "ruling.idle-aces.twos-build-up":
    "Stapel der Zweien steigen von der Zwei bis zum König, jede Karte um eins; die Farben sind egal.",
  "ruling.idle-aces.kings-build-down":
    "Stapel der Könige fallen vom König bis zum Ass, jede Karte um eins; die Farben sind egal.",
  "ruling.idle-aces.between-piles": "Die oberste Karte eines Stapels darf auf einen anderen gehen, zu dem sie passt.",
  "ruling.idle-aces.bases-stay": "Die unterste Karte eines Stapels verlässt ihn nie.",
  "ruling.idle-aces.aces":
    "Zu den Assen geht jedes Ass, vom Talon oder von einem Stapel der Könige, bis dort vier liegen; was dort liegt, bleibt.",
  "ruling.idle-aces.drawing-is-free": "Ziehen darfst du auch, wenn etwas passt.",
  "ruling.idle-aces.lost": "Verloren ist, sobald der verdeckte Stapel leer ist, nicht mehr umgedreht werden darf und keine Folge von Zügen zwischen den Stapeln die oberste Karte des Talons je spielbar machen kann; dann endet das Spiel von selbst.",
  "ruling.idle-aces.won": "Gewonnen ist, wenn alle 104 Karten liegen; wer aufgibt, verliert sofort.",
  "ruling.idle-aces.onto-itself": "Ein Stapel wird nicht auf sich selbst gelegt.",
  "ruling.idle-aces.absent": "Ist die Zeit um, gilt das Spiel als aufgegeben.",
  "ruling.idle-aces.one-seat": "Das Spiel hat einen Platz, und nur der zieht.",
  "ruling.idle-aces.not-dealt": "Gegeben wird, wenn alle Plätze beigetragen haben (beim Start).",
  "ruling.idle-aces.over": "Ein Spiel, das zu Ende oder abgesagt ist, geht nicht weiter.",
} as const satisfies Catalogue;
