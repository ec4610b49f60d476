import type en from "../en/idle";
import type { Translation } from "../message";

export default {
  "idle.twos": "Stapel {number} der Zweien, aufwärts, {next}",
  "idle.kings": "Stapel {number} der Könige, abwärts, {next}",
  "idle.next": "nächste: {rank}",
  "idle.full": "voll",
  "idle.aces": "die Asse",
  "idle.acesCount": "{count} von 4",
  "idle.redeals": { one: "noch {count}-mal umdrehen", other: "noch {count}-mal umdrehen" },
  "idle.resign": "Aufgeben",
  "idle.resignAsk": "Dieses Spiel aufgeben?",
} satisfies Translation<typeof en>;
