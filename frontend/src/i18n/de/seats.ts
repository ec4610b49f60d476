import type en from "../en/seats";
import type { Translation } from "../message";

export default {
  "seats.waiting": { one: "Es fehlt noch {count} Person.", other: "Es fehlen noch {count} Personen." },
  "seats.full": "Alle sind da: Gib, wann du magst.",
  "seats.fullOthers": "Alle sind da; jemand von ihnen gibt.",
  "seats.freeSeat": "frei",
  "seats.sit": "Hinsetzen",
  "seats.stand": "Wieder aufstehen",
  "seats.deal": "Geben",
  "seats.invite": "Wer diesen Link hat, darf sich hier hinsetzen:",
  "seats.copy": "Link kopieren",
  "seats.copied": "Kopiert.",
  "seats.buyIn": "Ein Platz kostet {amount}.",
  "seats.inPot": "Bisher {amount} im Topf.",
  "seats.pot": "Mit allen Plätzen {pot}, davon behält das Haus {rake}:",
  "seats.place": "Platz {place} bekommt {amount}",
  "seats.back": "Stehst du vor dem Geben auf oder wird der Tisch abgesagt, kommt die Einlage zurück.",
  "seats.left": "Bleibt danach von deinem Guthaben: {amount}.",
  "seats.paySure": "Hinsetzen und {amount} von deinem Guthaben zahlen?",
  "seats.fair": "Wie das Geben gerecht wird",
  "seats.commitment": "Das Geheimnis des Hauses steht schon fest; sein Fingerabdruck ist",

} satisfies Translation<typeof en>;
