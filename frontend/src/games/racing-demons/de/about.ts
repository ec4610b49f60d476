import type en from "../en/about";
import type { Translation } from "../../../i18n/message";

export default {
  "about.racing-demons": "Alle zugleich, auf gemeinsame Ablagen",

  "howto.racing-demons.aim": "Leere deinen Dämon, dreizehn Karten, von denen nur die oberste zu sehen ist, und bring so viele Karten wie möglich auf die Ablagen in der Mitte. Alle spielen zugleich, jeder mit eigenen Karten.",
  "howto.racing-demons.table": "In der Mitte: die Ablagen, gemeinsam für alle.\nDein eigener Bereich: der Dämon, vier Arbeitsstapel, der verdeckte Stapel und der Talon.\nKleine Bereiche zeigen die anderen Spieler.",
  "howto.racing-demons.turn": "Spiel die oberste Karte des Dämons, des Talons oder eines Arbeitsstapels.\nArbeitsstapel fallen um eins, Rot und Schwarz im Wechsel; Folgen jeder Länge dürfen von einem zum anderen.\nJedes Ass darf eine Ablage beginnen; dann steigt sie in ihrer Farbe um eins bis zum König, mit Karten von allen.\nDrück auf den verdeckten Stapel, um Karten auf den Talon zu legen; ist er leer, wird erst der Talon umgedreht.",
  "howto.racing-demons.also": "Ein leerer Arbeitsstapel wird sofort aus deinem Dämon gefüllt.\nAuf einer Ablage zählt die erste Karte: Eine spätere geht zurück, und der Tisch zeigt, wer schneller war.\nKannst du nicht mehr ziehen, melde, dass du feststeckst. Stecken alle fest, wird jeder Stapel um eine Karte verschoben, oder das Spiel endet, je nach Tisch.",
  "howto.racing-demons.end": "Das Spiel endet, wenn ein Dämon leer oder die Zeit um ist. Du bekommst 1 Punkt für jede Karte, die du auf eine Ablage gebracht hast, 5 mehr für jeden König darunter und 10 für einen leeren Dämon; jede Karte, die im Dämon bleibt, kostet 1.",
  "howto.racing-demons.keys": "{demon}: der Dämon. {waste}: der Talon. {stock}: der verdeckte Stapel.\n1 bis 4: die Arbeitsstapel.\n{foundation}: auf eine Ablage.",

  "option.racing-demons.turn": "Karten je Aufdecken",
  "option.racing-demons.pace": "Spielweise",
  "option.racing-demons.pace.race": "Rennen: alle zugleich",
  "option.racing-demons.pace.turns": "reihum: je ein Zug",
  "option.racing-demons.stuck": "Wenn alle feststecken",
  "option.racing-demons.stuck.burn": "erste Karte jedes Stapels ans Ende",
  "option.racing-demons.stuck.end": "das Spiel endet",
  "option.racing-demons.time_limit": "Zeitlimit (Sekunden)",

  "explain.racing-demons.turn": "Wie viele Karten deines Stapels aufgedeckt werden; spielbar ist nur die oberste. Einzeln ist es leichter.",
  "explain.racing-demons.pace": "Wann man ziehen darf.",
  "explain.racing-demons.pace.race": "Auf einer Ablage zählt die erste Karte. Zeit zum Nachdenken gibt es nicht.",
  "explain.racing-demons.pace.turns": "Im Uhrzeigersinn ab Platz 1; wer nicht ziehen kann oder will, passt.",
  "explain.racing-demons.stuck": "Wenn niemand ziehen kann.",
  "explain.racing-demons.stuck.burn": "Alle drehen ihren Stapel um, die erste Karte ans Ende, und das Spiel geht weiter; hilft auch das nicht, endet es.",
  "explain.racing-demons.stuck.end": "Das Spiel endet sofort, ohne Bonus für einen leeren Dämon.",
  "explain.racing-demons.time_limit": "Ab dem Geben. Ist die Zeit um, endet das Spiel und wird gewertet.",

  "set.racing-demons.turn.1": "Eine Karte je Aufdecken",
  "set.racing-demons.turn.3": "Drei Karten je Aufdecken",
  "set.racing-demons.pace.race": "Rennen: alle spielen zugleich",
  "set.racing-demons.pace.turns": "Reihum, je ein Zug",
  "set.racing-demons.stuck.burn": "Stecken alle fest: erste Karte jedes Stapels ans Ende",
  "set.racing-demons.stuck.end": "Stecken alle fest: Das Spiel endet",
  "set.racing-demons.time_limit": "Zeitlimit des Spiels: {time}",

  "outcome.racing-demons.out": "Ein Dämon ist leer.",
  "outcome.racing-demons.stuck": "Alle steckten fest.",
  "outcome.racing-demons.time": "Die Zeit ist um.",
  "outcome.racing-demons.arithmetic": "{placed} gelegt − {left} im Dämon + {kings} für Könige + {out} für einen leeren Dämon",
} satisfies Translation<typeof en>;
