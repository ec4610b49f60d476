import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 6), by the keys of their rulings. */
export default {
  "ruling.racing-demons.turn":
    "Aufgedeckt werden so viele Karten, wie der Tisch festlegt, eine nach der anderen auf den Talon; ist der verdeckte Stapel leer, wird zuerst der Talon umgedreht, und die Reihenfolge bleibt.",
  "ruling.racing-demons.sources":
    "Eine Karte geht vom Dämon, vom Talon, wenn dort eine liegt, oder von einem Arbeitsstapel aus.",
  "ruling.racing-demons.pace":
    "Im Rennen zieht jeder jederzeit, und wer zuerst ankommt, war zuerst da; reihum geht es im Uhrzeigersinn, je ein Zug, und Passen ist möglich.",
  "ruling.racing-demons.work-piles-build-down": "Arbeitsstapel fallen um eins, Rot und Schwarz im Wechsel.",
  "ruling.racing-demons.runs":
    "Folgen jeder Länge gehen von einem Arbeitsstapel zum anderen; mehr Karten, als da sind, nicht.",
  "ruling.racing-demons.onto-itself": "Ein Stapel wird nicht auf sich selbst gelegt.",
  "ruling.racing-demons.filling": "Ein leerer Arbeitsstapel wird sofort aus dem Dämon gefüllt.",
  "ruling.racing-demons.foundations-build-up":
    "Jedes Ass darf eine Ablage beginnen; sie gehören niemandem, steigen in ihrer Farbe mit Karten von allen und schließen mit dem König.",
  "ruling.racing-demons.ender": "Wird ein Dämon leer, ist das Spiel sofort zu Ende; dieser Platz hat es beendet.",
  "ruling.racing-demons.who-was-first":
    "Ein Zug gilt für den Stand, in dem er ankommt, nicht für den, den du gesehen hast; wer an einer Ablage zu spät war, erfährt, wer zuerst da war.",
  "ruling.racing-demons.score":
    "Es zählt jede Karte auf einer Ablage, weniger die im Dämon, fünf mehr für jeden König dort und zehn mehr, wer das Spiel beendet hat; gleiche Punkte teilen sich den Platz.",
  "ruling.racing-demons.stuck":
    "Feststecken meldet, wer es noch nicht gemeldet hat; stecken alle fest, wird jeder Stapel um eine Karte verschoben, oder das Spiel endet.",
  "ruling.racing-demons.time-limit":
    "Die Zeit läuft ab dem Geben; ist sie um, endet das Spiel, und ein Zug, der dann noch kommt, ist zu spät.",
  "ruling.racing-demons.last-move": "Nach 10.000 Zügen zieht ein Platz nicht mehr.",
  "ruling.racing-demons.seated": "Es ziehen nur die Plätze des Spiels.",
  "ruling.racing-demons.not-dealt": "Gegeben wird, wenn alle Plätze beigetragen haben (beim Start).",
  "ruling.racing-demons.over": "Ein Spiel, das zu Ende oder abgesagt ist, geht nicht weiter.",
} as const satisfies Catalogue;
