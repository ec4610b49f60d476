export default {
  "about.ace-race": "Werde deine Karten los, nach Regeln, die die Asse ändern",

  "tip.ace-race.1": "Deine Hand: Wähl eine oder mehrere Karten. Wer zuerst alle Karten los ist, gewinnt.",
  "tip.ace-race.2": "Was du jetzt tun kannst, steht hier: bieten, spielen, ziehen oder passen.",
  "tip.ace-race.3": "Die geltende Regel und die letzten Karten. Was du spielst, muss zur Regel passen; ein Ass bringt eine neue.",
  "picture.ace-race.multiples": "Mehrlinge: zwei bis vier Karten eines Werts",
  "picture.ace-race.series": "Eine Serie: drei Werte hintereinander",
  "picture.ace-race.ace": "Ein Ass darf immer gespielt werden und bringt eine neue Regel",

  "howto.ace-race.aim": "Werde als Erster alle Karten los. Was gespielt werden darf, bestimmt eine Regel, und jedes Ass bringt eine neue.",
  "howto.ace-race.table": "Unten liegt deine Hand; von den anderen siehst du nur, wie viele Karten sie halten.\nIn der Mitte liegen der Ziehstapel, die Ablage und die geltende Regel.",
  "howto.ace-race.turn": "Zuerst bietest du, wie viele Karten du ziehen würdest, um die erste Regel zu nennen, höchstens sechs. Jedes Gebot muss höher sein als das letzte, sonst passt du. Wer am meisten bietet, zieht so viele Karten und nennt die Regel.\nBist du am Zug, wähl Karten, die zur Regel passen, und spiel sie. Spielbare Karten sind gekennzeichnet. Passt nichts oder magst du nicht, zieh eine Karte; passt sie, darfst du sie spielen, sonst passt du.\nEin Ass darf in jedem Zug gespielt werden. Es bringt eine neue Regel, die du dazu wählst, die Ablage wird in den Ziehstapel gemischt, und du machst gleich weiter.\nEin Joker wird mit einer anderen Karte gespielt, die dann nicht passen muss.",
  "howto.ace-race.also": "Welche Regeln ein Ass bringt, hängt von seiner Farbe ab: Herz Mehrlinge oder Serien, Karo hoch, mittel oder niedrig, Kreuz Farben oder Primzahlen, Pik drüber und drunter. Die erste Regel darf jede davon sein.\nMehrlinge: zwei bis vier von einem Wert; nach einem Mehrling auch eine einzelne Karte dieses Werts.\nSerien: drei Werte hintereinander, auf oder ab; nach einer Serie auch die Karte, die an ihrem Ende weitergeht.\nHoch, mittel und niedrig: eine einzelne Karte aus diesem Bereich.\nFarben: eine einzelne Karte der genannten Farbe.\nPrimzahlen: Zwei, Drei, Fünf, Sieben, Bube (11) oder König (13).\nDrüber und drunter: abwechselnd eine höhere und eine niedrigere Karte als die letzte.\nLiegen oben auf der Ablage vier gleiche Werte oder eine Serie auf einer Serie derselben Werte, darfst du bis zu zwei Karten verschenken.",
  "howto.ace-race.end": "Wer keine Karte mehr hat, gewinnt sofort. Ist der Ziehstapel leer und passen alle, gewinnt, wer die wenigsten Karten hat.",
  "howto.ace-race.keys": "Tab führt zu Karten und Zügen, Enter oder Leertaste wählt.",

  "option.ace-race.continuation": "Einzelne Karte nach einem Mehrling oder einer Serie",
  "option.ace-race.continuation.strict": "streng: lässt sich nicht fortsetzen",
  "option.ace-race.continuation.chained": "verkettet: lässt sich fortsetzen",
  "option.ace-race.dealer": "Wer gibt",
  "option.ace-race.previous_winner": "Wer zuvor gewonnen hat",

  "explain.ace-race.continuation": "Nach einem Mehrling oder einer Serie darf eine passende Karte allein folgen.",
  "explain.ace-race.continuation.strict": "Danach darf keine weitere folgen.",
  "explain.ace-race.continuation.chained": "Danach dürfen weitere einzelne Karten folgen.",
  "explain.ace-race.dealer": "Geben und Bieten beginnen links vom Geber.",
  "explain.ace-race.previous_winner": "Darf vor dem ersten Zug bis zu zwei Karten verschenken.",

  "set.ace-race.continuation.strict": "Nach einem Mehrling oder einer Serie darf eine Karte folgen, danach keine weitere (streng)",
  "set.ace-race.continuation.chained": "Nach einem Mehrling oder einer Serie dürfen einzelne Karten nacheinander folgen (verkettet)",

  "outcome.ace-race.blocked": "Niemand konnte ziehen. Die wenigsten Karten: {names}.",
  "outcome.ace-race.left": { one: "{count} Karte übrig", other: "{count} Karten übrig" },

  "replay.move.bid": { one: "{count} Karte bieten", other: "{count} Karten bieten" },
  "replay.move.play": "{cards} spielen",
  "replay.move.rule": "die Regel nennen",
  "replay.move.decline": "nichts verschenken",
  "replay.move.give": "verschenken: {gifts}",
  "replay.move.gift": "{card} an {to}",
  "replay.move.ruled": "{move} ({rule})",
  "replay.move.directed": "{move}, die nächste {direction}",
};
