export default {
  "next.ready": "Your next table is ready: round {round}, table {table}.",
  "next.go": "Go to table",
  "next.wait": "Your game is over. Your next table appears here when it is ready.",
} as const;
