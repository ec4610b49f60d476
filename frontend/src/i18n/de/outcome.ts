import type en from "../en/outcome";
import type { Translation } from "../message";

export default {
  "outcome.title": "Ergebnis",
  "outcome.you": "Du hast gewonnen.",
  "outcome.winners": "Gewonnen: {names}.",
  "outcome.again": "Noch ein Spiel",
  "outcome.proof": "Nachweis dieses Spiels (JSON)",
  "outcome.replay": "Wiederholung und Fairnessprüfung",
} satisfies Translation<typeof en>;
