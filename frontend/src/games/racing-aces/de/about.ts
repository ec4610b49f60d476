export default {
  "about.racing-aces": "Vier Asse laufen um die Wette: Farbe wählen, zusehen oder wetten",

  "tip.racing-aces.1": "Jede Farbe hat eine Bahn. Ihr Ass rückt vor, wenn eine Karte der Farbe gezogen wird.",
  "tip.racing-aces.2": "So weit ist das Ass, und so weit ist das Ziel. Wer zuerst dort ist, gewinnt.",
  "tip.racing-aces.3": "Die übrigen Karten. Ihre Reihenfolge stand vor dem ersten Ziehen fest; niemand kann sie ändern.",
  "picture.racing-aces.aces": "Die vier Läufer",

  "howto.racing-aces.aim": "Die vier Asse laufen auf ihren Bahnen um die Wette; das erste im Ziel gewinnt. Haben alle eine Farbe gewählt, gewinnen die Spieler der siegenden Farbe.",
  "howto.racing-aces.table": "Vier Bahnen, eine für jede Farbe, jede mit ihrem Ass am Start.\nDer Stapel: die anderen 48 Karten, gemischt.",
  "howto.racing-aces.turn": "Vom Stapel werden Karten gezogen. Jede bringt das Ass ihrer Farbe einen Platz weiter.\nSpieler können das Rennen nicht beeinflussen: Die Reihenfolge der Karten entscheidet, und die steht vor dem ersten Ziehen fest.\nIst ein Wettmarkt offen, kannst du vor dem ersten Ziehen auf eine Farbe setzen.",
  "howto.racing-aces.also": "Das Ass selbst zählt als erster Platz seiner Bahn.\nMit bis zu vier Plätzen haben alle verschiedene Farben; mit mehr haben höchstens zwei dieselbe.\nMit Farben kann ein Topf vereinbart werden: Alle setzen gleich viel, die Spieler der siegenden Farbe teilen ihn. Hat kein Spieler sie, gehen die Einsätze zurück.\nAn manchen Tischen werden vor dem Start Karten ungesehen weggelegt oder mehrere auf einmal gezogen.",
  "howto.racing-aces.end": "Das Rennen endet, wenn das erste Ass im Ziel ist. Wurden Karten weggelegt, kann der Stapel vorher leer sein; dann gewinnt kein Ass.",
  "howto.racing-aces.keys": "Tab führt zu den Schaltflächen, Enter oder Leertaste drückt sie.",

  "option.racing-aces.suits": "Farben",
  "option.racing-aces.suits.none": "Keine Farben: ein Rennen zum Zusehen oder Wetten",
  "option.racing-aces.suits.chosen": "Jeder wählt eine Farbe",
  "option.racing-aces.finish_line": "Karten bis ins Ziel, mit Ass (2 bis 13)",
  "option.racing-aces.cards_per_draw": "Karten je Ziehen (1 bis 4)",
  "option.racing-aces.burn": "Karten, die vor dem Start verdeckt wegkommen",

  "explain.racing-aces.suits.chosen": "Du gewinnst, wenn deine Farbe zuerst im Ziel ist. Mit bis zu vier Plätzen sind alle Farben verschieden, sonst hat eine Farbe höchstens zwei Plätze.",
  "explain.racing-aces.finish_line": "Die Farbe, deren Bahn zuerst so lang ist, gewinnt. Die Chancen sind bei jeder Länge gleich.",
  "explain.racing-aces.cards_per_draw": "Alle gezogenen Karten werden gelegt; erreichen zwei Bahnen das Ziel, gewinnt die zuerst vollendete.",
  "explain.racing-aces.burn": "Entfernte Karten bleiben verdeckt. Ohne sie kann es sein, dass keine Farbe ins Ziel kommt: Dann gibt es keinen Sieger.",

  "set.racing-aces.suits.chosen": "Jeder wählt eine Farbe",
  "set.racing-aces.finish_line": { one: "Ziel nach {count} Karte, das Ass eingerechnet", other: "Ziel nach {count} Karten, das Ass eingerechnet" },
  "set.racing-aces.cards_per_draw": { one: "{count} Karte je Ziehen", other: "{count} Karten je Ziehen" },
  "set.racing-aces.burn": { one: "{count} Karte vor dem Start verdeckt entfernt", other: "{count} Karten vor dem Start verdeckt entfernt" },

  "outcome.racing-aces.suit": "Das Ass der Farbe {suit} gewinnt.",
  "outcome.racing-aces.no-winner": "Kein Ass kam ins Ziel.",
};
