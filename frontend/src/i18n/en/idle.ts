export default {
  "idle.twos": "pile {number} of the twos, building up, {next}",
  "idle.kings": "pile {number} of the kings, building down, {next}",
  "idle.next": "next {rank}",
  "idle.full": "full",
  "idle.ace": "ace cell {number}",
  "idle.aceLocked": "ace cell {number}, locked",
  "idle.redeals": { one: "{count} redeal left", other: "{count} redeals left" },
  "idle.resign": "Resign",
  "idle.resignAsk": "Give this game up?",
  "idle.left": { one: "{count} left", other: "{count} left" },
  "idle.legend": "↑ twos are built up to the king, ↓ kings down to the ace; suits do not matter. An ace that has been played stays locked.",
} as const;
