export default {
  "demons.foundations": "Foundations, everybody's",
  "demons.foundation": "foundation {number}",
  "demons.new": "new foundation",
  "demons.own": "Your cards",
  "demons.demon": "your demon",
  "demons.demonLeft": { one: "demon: {count} card", other: "demon: {count} cards" },
  "demons.work": "work pile {number}",
  "demons.stuck": "I am stuck",
  "demons.stuckNow": "Stuck, waiting for the others",
  "demons.isStuck": "stuck",
  "demons.score": "score {score}",
} as const;
