export default {
  "about.idle-aces": "A solitaire with two packs around a cross",

  "tip.idle-aces.1": "Press the stock to turn a card onto the waste.",
  "tip.idle-aces.2": "Play the top of the waste where it fits: what a pile takes next is written under it. Suits do not matter.",
  "tip.idle-aces.3": "Each of these four cells takes one ace, which stays there.",
  "picture.idle-aces.twos": "On a pile of the twos: up by one, any suit",
  "picture.idle-aces.kings": "On a pile of the kings: down by one, any suit",

  "howto.idle-aces.aim": "Build all 104 cards of two packs onto the piles of the cross. Suits do not matter.",
  "howto.idle-aces.table": "A cross of eight piles: four begin with a two in the middle, four with a king at its ends.\nAt the top, two on each side of the upper king, the four cells for aces.\nAt the bottom left the stock, face down, and the waste on its right.",
  "howto.idle-aces.turn": "Press the stock to turn one card onto the waste.\nPlay the top of the waste, or the top of a pile, where it fits: piles of the twos go up by one to the king, piles of the kings go down by one to the ace. What each pile takes next is written under it.\nEach of the four cells takes one ace of any suit; it cannot be moved again. The other four aces end the piles of the kings.",
  "howto.idle-aces.also": "The first card of a pile never leaves it.\nWhen the stock is empty, press it to turn the waste over, as often as the table allows.\nYou may draw even if a card could be played.",
  "howto.idle-aces.end": "You win when all cards are built. You lose when you resign, or when nothing can be drawn and the top of the waste can never be played again; the game detects this itself.",
  "howto.idle-aces.keys": "{stock}: the stock. {waste}: the waste.\n{foundation}: an ace to a cell.\n{end}: resign.",

  "option.idle-aces.redeals": "Redeals (0 to 2)",

  "explain.idle-aces.redeals": "How often the waste is turned over to become the stock again. More redeals make the game easier.",

  "set.idle-aces.redeals": { one: "{count} redeal per game", other: "{count} redeals per game" },

  "outcome.idle-aces.won": "Won: all {count} cards built in {plays} plays.",
  "outcome.idle-aces.lost": "Lost: {count} of 104 cards built.",

  "replay.event.redeal": "turned the waste over",
  "replay.event.resign": "resigned",
} as const;
