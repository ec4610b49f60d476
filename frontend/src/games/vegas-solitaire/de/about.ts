export default {
  "about.vegas-solitaire": "Jede Karte auf den Ablagen zahlt",

  "tip.vegas-solitaire.1": "Drück auf den Stapel, um Karten auf den Talon zu ziehen.",
  "tip.vegas-solitaire.2": "Bau die Spalten abwärts, Rot und Schwarz im Wechsel. Zieh eine Karte, oder drück sie und dann ihren Platz.",
  "tip.vegas-solitaire.3": "Bring die Asse hierher, dann jede Farbe bis zum König. Jede Karte hier zahlt; ein Doppelklick bringt eine hierher.",
  "picture.vegas-solitaire.foundation": "Auf einer Ablage: eine Farbe, vom Ass aufwärts",
  "picture.vegas-solitaire.column": "In einer Spalte: abwärts, Rot und Schwarz im Wechsel",

  "howto.vegas-solitaire.aim": "Bring die Karten auf die vier Ablagen, jede Farbe vom Ass bis zum König. Jede Karte, die am Ende dort liegt, bringt den Betrag je Karte.",
  "howto.vegas-solitaire.table": "Oben links: der verdeckte Stapel und der Talon mit den gezogenen Karten.\nOben rechts: die vier Ablagen, eine für jede Farbe.\nDarunter: sieben Spalten; die letzte Karte jeder Spalte liegt offen.",
  "howto.vegas-solitaire.turn": "Zieh eine Karte dorthin, wo sie liegen soll, oder drück erst die Karte und dann den Platz. Plätze, auf die sie passt, sind umrandet.\nIn den Spalten geht es um eins abwärts, Rot und Schwarz im Wechsel: eine schwarze Sechs auf eine rote Sieben. Offene Karten dürfen zusammen gehen, eine ganze Folge oder ein Teil davon.\nAuf eine leere Spalte darf nur ein König oder eine Folge, die mit ihm beginnt.\nEine Ablage beginnt mit dem Ass und steigt in ihrer Farbe um eins. Ein Doppelklick schickt eine Karte dorthin. Karten dürfen auch wieder herunter; dann fehlt ihr Betrag.\nDrück auf eine verdeckte Karte am Ende einer Spalte, um sie aufzudecken. Von selbst dreht sie sich nicht um.\nDrück auf den Stapel, um zu ziehen: eine Karte bei „1 Draw“, drei bei „3 Draw“. Die oberste Karte des Talons ist spielbar; passt sie, steht ein Pfeil darüber.",
  "howto.vegas-solitaire.also": "1 Draw geht einmal durch den Stapel, 3 Draw dreimal: Ist er leer, drück darauf, um den Talon umzudrehen. Ein X bedeutet, dass kein Durchgang mehr übrig ist.\nZurücknehmen lässt sich der letzte Zug, wenn er ein Ziehen war oder eine Karte vom Talon oder von oder zu einer Ablage; einmal, gleich danach.",
  "howto.vegas-solitaire.end": "Du kannst jederzeit aufhören: „Beenden und auszahlen“ zahlt den Gewinn aus. Liegen alle Karten offen und sind Stapel und Talon leer, gehen alle Karten automatisch auf die Ablagen.",
  "howto.vegas-solitaire.keys": "1 bis 7: die Spalten.\n{longer} und {shorter}: wie viele Karten eine Spaltentaste nimmt.\n{waste}: der Talon. {stock}: der Stapel.\n{foundation}: auf die Ablage.\n{undo}: zurücknehmen. {end}: beenden und auszahlen.",

  "option.vegas-solitaire.draw": "Version",
  "option.vegas-solitaire.draw.1": "1 Draw: eine Karte, ein Durchgang",
  "option.vegas-solitaire.draw.3": "3 Draw: drei Karten, drei Durchgänge",

  "explain.vegas-solitaire.draw": "Jede abgelegte Karte zahlt. Du kannst das Spiel jederzeit beenden.",
  "explain.vegas-solitaire.draw.1": "Du siehst jede Karte des Stapels, aber nur einmal.",
  "explain.vegas-solitaire.draw.3": "Von drei Karten ist nur die oberste spielbar; du gehst dreimal durch den Stapel.",

  "set.vegas-solitaire.draw.1": "1 Draw: eine Karte, ein Durchgang",
  "set.vegas-solitaire.draw.3": "3 Draw: drei Karten, drei Durchgänge",

  "outcome.vegas-solitaire.collected": { one: "{count} Karte auf den Ablagen: {amount} ausgezahlt.", other: "{count} Karten auf den Ablagen: {amount} ausgezahlt." },

  "vegas.receipt": "Beleg",
  "vegas.print": "Beleg drucken",
  "vegas.game": "Spiel",
  "vegas.player": "Gespielt von",
  "vegas.ended": "Beendet",
  "vegas.version": "Version",
  "vegas.cards": "Karten auf den Ablagen",
  "vegas.onFoundations": { one: "{count} Karte auf den Ablagen", other: "{count} Karten auf den Ablagen" },
  "vegas.net": "Ergebnis",
  "vegas.proof": "Hash des letzten Ereignisses",
  "vegas.historyMore": "Frühere Spiele anzeigen",
  "vegas.historyNone": "Noch keine Spiele um Geld.",
  "vegas.version1": "1 Draw",
  "vegas.version3": "3 Draw",

  "replay.event.collect": "Spiel beendet und ausgezahlt",
};
