import type en from "../en/seats";
import type { Translation } from "../message";

export default {
  "seats.waiting": { one: "Es fehlt noch {count} Person.", other: "Es fehlen noch {count} Personen." },
  "seats.full": "Alle Plätze sind besetzt. Gib, wenn du bereit bist.",
  "seats.fullOthers": "Alle Plätze sind besetzt. Gleich wird gegeben.",
  "seats.freeSeat": "frei",
  "seats.sit": "Hinsetzen",
  "seats.stand": "Aufstehen",
  "seats.deal": "Geben",
  "seats.invite": "Mit diesem Link kann man sich hier hinsetzen:",
  "seats.copy": "Link kopieren",
  "seats.copied": "Kopiert.",
  "seats.buyIn": "Ein Platz kostet {amount}.",
  "seats.inPot": "Bisher {amount} im Topf.",
  "seats.pot": "Wenn alle Plätze besetzt sind: {pot}, abzüglich {rake} Gebühr:",
  "seats.place": "Platz {place} bekommt {amount}",
  "seats.pool": "Alle setzen gleich viel. Die Plätze der siegenden Farbe teilen den Topf; hat kein Platz sie, werden alle Einsätze erstattet.",
  "seats.back": "Stehst du vor dem Geben auf oder wird der Tisch abgesagt, wird die Einlage erstattet.",
  "seats.left": "Guthaben danach: {amount}.",
  "seats.paySure": "Hinsetzen und {amount} von deinem Guthaben zahlen?",
  "seats.fair": "Fairness der Karten",
  "seats.commitment": "Der Server-Seed steht schon fest; sein SHA-256-Hash ist",
} satisfies Translation<typeof en>;
