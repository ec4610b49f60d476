import type en from "../en/howto-racing-aces";
import type { Translation } from "../message";

export default {
  "howto.racing-aces.aim": "Die vier Asse laufen auf ihren Bahnen um die Wette; das erste im Ziel gewinnt. Haben alle eine Farbe gewählt, gewinnen die Spieler der siegenden Farbe.",
  "howto.racing-aces.table": "Vier Bahnen, eine für jede Farbe, jede mit ihrem Ass am Start.\nDer Stapel: die anderen 48 Karten, gemischt.",
  "howto.racing-aces.turn": "Vom Stapel werden Karten gezogen. Jede bringt das Ass ihrer Farbe einen Platz weiter.\nSpieler können das Rennen nicht beeinflussen: Die Reihenfolge der Karten entscheidet, und die steht vor dem ersten Ziehen fest.\nIst ein Wettmarkt offen, kannst du vor dem ersten Ziehen auf eine Farbe setzen.",
  "howto.racing-aces.also": "Das Ass selbst zählt als erster Platz seiner Bahn.\nMit bis zu vier Plätzen haben alle verschiedene Farben; mit mehr haben höchstens zwei dieselbe.\nMit Farben kann ein Topf vereinbart werden: Alle setzen gleich viel, die Spieler der siegenden Farbe teilen ihn. Hat kein Spieler sie, gehen die Einsätze zurück.\nAn manchen Tischen werden vor dem Start Karten ungesehen weggelegt oder mehrere auf einmal gezogen.",
  "howto.racing-aces.end": "Mit dem ersten Ass im Ziel. Wurden Karten weggelegt, kann der Stapel vorher enden; dann hat kein Ass gewonnen.",
  "howto.racing-aces.keys": "Tab führt zu den Schaltflächen, Enter oder Leertaste drückt sie.",
} satisfies Translation<typeof en>;
