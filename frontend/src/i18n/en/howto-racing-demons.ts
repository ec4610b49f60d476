export default {
  "howto.racing-demons.aim": "Get rid of your demon, thirteen cards of which only the top one shows, and bring as many cards as you can to the foundations in the middle. All play at once, each with a pack of their own.",
  "howto.racing-demons.table": "In the middle the foundations, which belong to everybody.\nYour own area: the demon, four work piles, the stock and the waste.\nSmall beside it, what the others have.",
  "howto.racing-demons.turn": "Play the top of the demon, of the waste or of a work pile.\nWork piles go down by one, red and black in turn; runs of any length may move from one to another.\nAny ace may begin a foundation; it then goes up by one in its suit to the king, with cards of any player.\nPress the stock to turn cards onto the waste; when it is empty, this turns the waste over first.",
  "howto.racing-demons.also": "An empty work pile is filled from your demon at once.\nWho is first at a foundation is first: the card of the other goes back, and the table says who was faster.\nIf you can do nothing more, say that you are stuck. When all are, everybody's stock is shifted by a card, or the game ends, as the table was set up.",
  "howto.racing-demons.end": "When a demon is empty, or the time is up. You score one for each card that you brought to a foundation, five more for each king among them, ten if you went out, and lose one for each card left in your demon.",
  "howto.racing-demons.keys": "D: the demon. W: the waste. S: the stock.\n1 to 4: the work piles.\nF: to a foundation.",
} as const;
