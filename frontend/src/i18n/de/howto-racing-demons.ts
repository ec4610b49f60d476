import type en from "../en/howto-racing-demons";
import type { Translation } from "../message";

export default {
  "howto.racing-demons.aim": "Leere deinen Dämon, dreizehn Karten, von denen nur die oberste zu sehen ist, und bring so viele Karten wie möglich auf die Ablagen in der Mitte. Alle spielen zugleich, jeder mit eigenen Karten.",
  "howto.racing-demons.table": "In der Mitte: die Ablagen, gemeinsam für alle.\nDein eigener Bereich: der Dämon, vier Arbeitsstapel, der verdeckte Stapel und der Talon.\nKleine Bereiche zeigen die anderen Spieler.",
  "howto.racing-demons.turn": "Spiel die oberste Karte des Dämons, des Talons oder eines Arbeitsstapels.\nArbeitsstapel fallen um eins, Rot und Schwarz im Wechsel; Folgen jeder Länge dürfen von einem zum anderen.\nJedes Ass darf eine Ablage beginnen; dann steigt sie in ihrer Farbe um eins bis zum König, mit Karten von allen.\nDrück auf den verdeckten Stapel, um Karten auf den Talon zu legen; ist er leer, wird erst der Talon umgedreht.",
  "howto.racing-demons.also": "Ein leerer Arbeitsstapel wird sofort aus deinem Dämon gefüllt.\nAuf einer Ablage zählt die erste Karte: Eine spätere geht zurück, und der Tisch zeigt, wer schneller war.\nKannst du nicht mehr ziehen, melde, dass du feststeckst. Stecken alle fest, wird jeder Stapel um eine Karte verschoben, oder das Spiel endet, je nach Tisch.",
  "howto.racing-demons.end": "Das Spiel endet, wenn ein Dämon leer oder die Zeit um ist. Du bekommst 1 Punkt für jede Karte, die du auf eine Ablage gebracht hast, 5 mehr für jeden König darunter und 10 für einen leeren Dämon; jede Karte, die im Dämon bleibt, kostet 1.",
  "howto.racing-demons.keys": "D: der Dämon. W: der Talon. S: der verdeckte Stapel.\n1 bis 4: die Arbeitsstapel.\nF: auf eine Ablage.",
} satisfies Translation<typeof en>;
