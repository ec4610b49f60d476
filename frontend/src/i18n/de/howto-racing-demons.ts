import type en from "../en/howto-racing-demons";
import type { Translation } from "../message";

export default {
  "howto.racing-demons.aim": "Werde deinen Dämon los, dreizehn Karten, von denen nur die oberste zu sehen ist, und bring so viele Karten wie möglich auf die Ablagen in der Mitte. Alle spielen zugleich, jeder mit eigenen Karten.",
  "howto.racing-demons.table": "In der Mitte die Ablagen, die allen gehören.\nDein eigener Bereich: der Dämon, vier Arbeitsstapel, der verdeckte Stapel und der Talon.\nKlein daneben, was die anderen haben.",
  "howto.racing-demons.turn": "Spiel die oberste Karte des Dämons, des Talons oder eines Arbeitsstapels.\nArbeitsstapel fallen um eins, Rot und Schwarz im Wechsel; Folgen jeder Länge dürfen von einem zum anderen.\nJedes Ass darf eine Ablage beginnen; dann steigt sie in ihrer Farbe um eins bis zum König, mit Karten von allen.\nDrück auf den verdeckten Stapel, um Karten auf den Talon zu legen; ist er leer, wird erst der Talon umgedreht.",
  "howto.racing-demons.also": "Ein leerer Arbeitsstapel wird sofort aus deinem Dämon gefüllt.\nWer zuerst an einer Ablage ist, ist zuerst: Die Karte des anderen geht zurück, und der Tisch sagt, wer schneller war.\nKannst du nichts mehr tun, sag, dass du feststeckst. Stecken alle fest, wird jeder Stapel um eine Karte verschoben, oder das Spiel endet, je nach Tisch.",
  "howto.racing-demons.end": "Wenn ein Dämon leer ist oder die Zeit um. Du bekommst einen Punkt für jede Karte, die du auf eine Ablage gebracht hast, fünf mehr für jeden König darunter, zehn, wenn dein Dämon leer wurde, und verlierst einen für jede Karte, die im Dämon bleibt.",
  "howto.racing-demons.keys": "D: der Dämon. W: der Talon. S: der verdeckte Stapel.\n1 bis 4: die Arbeitsstapel.\nF: auf eine Ablage.",
} satisfies Translation<typeof en>;
