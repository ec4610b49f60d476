export default {
  "about.idle-aces": "Eine Patience mit zwei Kartenspielen um ein Kreuz",

  "tip.idle-aces.1": "Drück auf den Stapel, um eine Karte aufzudecken.",
  "tip.idle-aces.2": "Leg die aufgedeckte Karte an, wo sie passt: Was ein Stapel als Nächstes nimmt, steht darunter. Farben spielen keine Rolle.",
  "tip.idle-aces.3": "Jedes dieser vier Felder nimmt ein Ass, das dort bleibt.",
  "picture.idle-aces.twos": "Auf einem Stapel der Zweien: aufwärts, Farbe egal",
  "picture.idle-aces.kings": "Auf einem Stapel der Könige: abwärts, Farbe egal",

  "howto.idle-aces.aim": "Leg alle 104 Karten aus zwei Kartenspielen auf die Stapel des Kreuzes. Farben spielen keine Rolle.",
  "howto.idle-aces.table": "Ein Kreuz aus acht Stapeln: Vier beginnen in der Mitte mit einer Zwei, vier an den Enden mit einem König.\nOben, je zwei links und rechts vom oberen König, die vier Felder für Asse.\nUnten links der verdeckte Stapel und rechts von ihm der Talon.",
  "howto.idle-aces.turn": "Drück auf den verdeckten Stapel, um eine Karte auf den Talon zu legen.\nLeg die oberste Karte des Talons oder eines Stapels dorthin, wo sie passt: Stapel der Zweien steigen um eins bis zum König, Stapel der Könige fallen um eins bis zum Ass. Was jeder Stapel als Nächstes nimmt, steht darunter.\nJedes der vier Felder nimmt ein Ass beliebiger Farbe; es bleibt dort liegen. Die anderen vier Asse beenden die Stapel der Könige.",
  "howto.idle-aces.also": "Die erste Karte eines Stapels verlässt ihn nie.\nIst der verdeckte Stapel leer, drück darauf, um den Talon umzudrehen, so oft der Tisch es erlaubt.\nDu darfst auch ziehen, wenn eine Karte passt.",
  "howto.idle-aces.end": "Du gewinnst, wenn alle Karten liegen. Du verlierst, wenn du aufgibst oder wenn nichts mehr zu ziehen ist und die oberste Karte des Talons nie mehr passen kann; das Spiel erkennt das selbst.",
  "howto.idle-aces.keys": "{stock}: der verdeckte Stapel. {waste}: der Talon.\n{foundation}: ein Ass auf ein Feld.\n{end}: aufgeben.",

  "option.idle-aces.redeals": "Umdrehen des Talons (0 bis 2)",

  "explain.idle-aces.redeals": "Wie oft der Talon umgedreht wieder zum Stapel wird. Mit jedem Mal wird das Spiel leichter.",

  "set.idle-aces.redeals": { one: "{count}-mal umdrehen im Spiel", other: "{count}-mal umdrehen im Spiel" },

  "outcome.idle-aces.won": "Gewonnen: alle {count} Karten gelegt, mit {plays} Zügen.",
  "outcome.idle-aces.lost": "Verloren: {count} von 104 Karten gelegt.",

  "replay.event.redeal": "den Talon umgedreht",
  "replay.event.resign": "aufgegeben",
};
