export default {
  "games.title": "Open games",
  "games.count": { one: "{count} game waits for players.", other: "{count} games wait for players." },
  "games.none": "No table is open.",
  "games.noneHint": "Open one: choose a game above.",
  "games.free": { one: "{count} free seat", other: "{count} free seats" },
  "games.seats": "Seats",
  "games.seatsValue": "{taken} of {total} taken",
  "games.stake": "Stake",
  "games.since": "Open since",
  "games.more": "Older tables are in the API’s list.",
  "games.enter": "Go to the table",
} as const;
