export default {
  "between.ready": "Your next table is ready: round {round}, table {table}.",
  "between.go": "Go there",
  "between.wait": "Your game is over. Your next table is shown here when it is ready.",
} as const;
