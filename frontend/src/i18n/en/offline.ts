export default {
  "offline.title": "You are offline",
  "offline.hint": "Your games and their clocks continue on the server. This page opens again when there is a connection.",
} as const;
