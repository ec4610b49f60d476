export default {
  "look.colour": "Table",
  "look.green": "green",
  "look.red": "red",
  "look.blue": "blue",
  "look.back": "Card backs",
  "look.four": "Four colours for the suits",
  "look.sound": "Sound",

  "look.history": "Betting history",
} as const;
