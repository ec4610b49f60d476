export default {
  "generic.turn": "to move",
  "generic.moves": "Your moves",
  "generic.last": "Last move: {move} ({who})",
  "generic.lastNoSeat": "Last move: {move}",
  "generic.pile": { one: "{label} ({count} card)", other: "{label} ({count} cards)" },
  "generic.none": "none",
  "generic.yes": "yes",
  "generic.no": "no",
} as const;
