export default {
  "appearance.colour": "Table",
  "appearance.green": "green",
  "appearance.red": "red",
  "appearance.blue": "blue",
  "appearance.back": "Card backs",
  "appearance.four": "Four colours for the suits",
  "appearance.sound": "Sound",

  "appearance.history": "Game history",
} as const;
