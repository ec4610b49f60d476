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

  "move.redeal": "den Talon umdrehen",
  "move.resign": "aufgeben",
  "hint.twos": "Stapel {number} der Zweien",
  "hint.kings": "Stapel {number} der Könige",
  "hint.aces": "Ass-Felder",
};
