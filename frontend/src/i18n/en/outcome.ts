export default {
  "outcome.title": "Result",
  "outcome.you": "You won.",
  "outcome.winners": "Winner: {names}.",
  "outcome.again": "Play again",
  "outcome.proof": "Proof of this game (JSON)",
  "outcome.replay": "Replay and fairness check",
} as const;
