export default {
  "idle.twos": "pile {number} of the twos, building up, {next}",
  "idle.kings": "pile {number} of the kings, building down, {next}",
  "idle.next": "next {rank}",
  "idle.full": "full",
  "idle.ace": "ace cell {number}",
  "idle.aceLocked": "ace cell {number}, locked",
  "idle.redeals": { one: "{count} redeal left", other: "{count} redeals left" },
  "idle.resign": "Resign",
  "idle.resignAsk": "Resign this game?",
  "idle.left": { one: "{count} left", other: "{count} left" },
  "idle.legend": "↑ twos build up to the king, ↓ kings build down to the ace; suits do not matter. Played aces stay in their cells.",

  "move.redeal": "turn the waste over",
  "move.resign": "resign",
  "hint.twos": "pile {number} of the twos",
  "hint.kings": "pile {number} of the kings",
  "hint.aces": "the aces",
} as const;
