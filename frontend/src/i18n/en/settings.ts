export default {
  "set.title": "Table settings",
  "set.move_limit": "Time per move: {time}",
  "set.game_limit": "Time for the game: {time}",
  "set.draw_every": "Automatic draw every {time}",
  "set.seconds": { one: "{count} second", other: "{count} seconds" },
  "set.minutes": { one: "{count} minute", other: "{count} minutes" },
  "set.hours": { one: "{count} hour", other: "{count} hours" },
} as const;
