import type en from "../en/outcome";
import type { Translation } from "../message";

export default {
  "outcome.title": "Ergebnis",
  "outcome.collected": { one: "{count} Karte auf den Ablagen: {amount} ausgezahlt.", other: "{count} Karten auf den Ablagen: {amount} ausgezahlt." },
  "outcome.suit": "Das Ass der Farbe {suit} gewinnt.",
  "outcome.you": "Du hast gewonnen.",
  "outcome.winners": "Gewonnen: {names}.",
  "outcome.blocked": "Niemand konnte ziehen. Die wenigsten Karten: {names}.",
  "outcome.won": "Gewonnen: alle {count} Karten gelegt, mit {plays} Zügen.",
  "outcome.lost": "Verloren: {count} von 104 Karten gelegt.",
  "outcome.no-winner": "Kein Ass kam ins Ziel.",
  "outcome.out": "Ein Dämon ist leer.",
  "outcome.stuck": "Alle steckten fest.",
  "outcome.time": "Die Zeit ist um.",
  "outcome.arithmetic": "{placed} gelegt − {left} im Dämon + {kings} für Könige + {out} für einen leeren Dämon",
  "outcome.again": "Noch ein Spiel",
  "outcome.proof": "Nachweis dieses Spiels (JSON)",
  "outcome.replay": "Wiederholung und Fairnessprüfung",

  "vegas.receipt": "Beleg",
  "vegas.print": "Drucken",
  "vegas.game": "Spiel",
  "vegas.player": "Gespielt von",
  "vegas.ended": "Beendet",
  "vegas.version": "Version",
  "vegas.cards": "Karten auf den Ablagen",
  "vegas.onFoundations": { one: "{count} Karte auf den Ablagen", other: "{count} Karten auf den Ablagen" },
  "vegas.net": "Ergebnis",
  "vegas.proof": "Hash des letzten Ereignisses",
  "vegas.historyNone": "In dieser Sitzung wurde noch nicht gespielt.",
  "vegas.historyPlaying": "läuft",

  "vegas.version1": "1 Draw",
  "vegas.version3": "3 Draw",
} satisfies Translation<typeof en>;
