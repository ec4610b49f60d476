export default {
  "howto.racing-demons.aim": "Empty your demon, a pile of thirteen cards of which only the top one is visible, and bring as many cards as you can to the foundations in the middle. All players play at once, each with their own pack.",
  "howto.racing-demons.table": "In the middle: the foundations, shared by all players.\nYour own area: the demon, four work piles, the stock, and the waste.\nSmall areas show the other players.",
  "howto.racing-demons.turn": "Play the top of the demon, of the waste or of a work pile.\nWork piles go down by one, red and black in turn; runs of any length may move from one to another.\nAny ace may begin a foundation; it then goes up by one in its suit to the king, with cards of any player.\nPress the stock to turn cards onto the waste; when it is empty, this turns the waste over first.",
  "howto.racing-demons.also": "An empty work pile is filled from your demon at once.\nThe first card to reach a foundation counts: a later one goes back, and the table shows who was faster.\nIf you cannot move any more, report that you are stuck. When all players are stuck, every stock is shifted by one card or the game ends, depending on the table.",
  "howto.racing-demons.end": "The game ends when a demon is empty or the time is up. You score 1 for each card that you brought to a foundation, 5 more for each king among them, and 10 for emptying your demon; each card left in your demon costs 1.",
  "howto.racing-demons.keys": "D: the demon. W: the waste. S: the stock.\n1 to 4: the work piles.\nF: to a foundation.",
} as const;
