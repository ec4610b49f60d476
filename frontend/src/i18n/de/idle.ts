import type en from "../en/idle";
import type { Translation } from "../message";

export default {
  "idle.twos": "Stapel {number} der Zweien, aufwärts, {next}",
  "idle.kings": "Stapel {number} der Könige, abwärts, {next}",
  "idle.next": "nächste: {rank}",
  "idle.full": "voll",
  "idle.ace": "Ass-Feld {number}",
  "idle.aceLocked": "Ass-Feld {number}, fest",
  "idle.redeals": { one: "noch {count}-mal umdrehen", other: "noch {count}-mal umdrehen" },
  "idle.resign": "Aufgeben",
  "idle.resignAsk": "Dieses Spiel aufgeben?",
  "idle.left": { one: "noch {count}", other: "noch {count}" },
  "idle.legend": "↑ Zweien bauen auf bis zum König, ↓ Könige ab bis zum Ass; Farben sind egal. Gespielte Asse bleiben liegen.",
} satisfies Translation<typeof en>;
