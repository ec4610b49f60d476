export default {
  "idle.twos": "pile {number} of the twos, building up, {next}",
  "idle.kings": "pile {number} of the kings, building down, {next}",
  "idle.next": "next {rank}",
  "idle.full": "full",
  "idle.aces": "the aces",
  "idle.acesCount": "{count} of 4",
  "idle.redeals": { one: "{count} redeal left", other: "{count} redeals left" },
  "idle.resign": "Resign",
  "idle.resignAsk": "Give this game up?",
} as const;
