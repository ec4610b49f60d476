export default {
  "about.ace-race": "Shed your hand under rules that the aces change",

  "tip.ace-race.1": "Your hand: choose one or more cards. The first to get rid of all cards wins.",
  "tip.ace-race.2": "What you can do now is shown here: bid, play, draw, or pass.",
  "tip.ace-race.3": "The current rule and the last cards. What you play must fit the rule; an ace brings a new one.",
  "picture.ace-race.multiples": "Multiples: two to four cards of one value",
  "picture.ace-race.series": "A series: three values in a row",
  "picture.ace-race.ace": "An ace can always be played and brings a new rule",

  "howto.ace-race.aim": "Be the first to run out of cards. A rule decides what may be played, and every ace brings a new one.",
  "howto.ace-race.table": "Your hand is at the bottom; for the other players you see only how many cards they hold.\nThe middle shows the draw pile, the discard pile, and the current rule.",
  "howto.ace-race.turn": "First you bid how many cards you would draw for the right to name the first rule, at most six. Each bid must be higher than the last; otherwise you pass. The highest bidder draws that many cards and names the rule.\nOn your turn, choose cards that fit the rule and play them. Cards that can be played are marked. If nothing fits, or if you prefer to, draw a card. You may play it if it fits; otherwise you pass.\nAn ace may be played on any turn. It brings a new rule, which you choose with it, the discards are shuffled into the draw pile, and you go on at once.\nA joker is played with one other card, which then need not fit.",
  "howto.ace-race.also": "Which rules an ace can bring depends on its suit: hearts multiples or series, diamonds high, medium or low, clubs suits or prime, spades above and below. The first rule may be any of them.\nMultiples: two to four of one value; after a multiple also a single card of that value.\nSeries: three values in a row, up or down; after a series also the card that goes on at its end.\nHigh, medium and low: a single card of that range.\nSuits: a single card of the suit that was named.\nPrime: two, three, five, seven, jack (11) or king (13).\nAbove and below: by turns a higher and a lower card than the last.\nWhen four equal values come to lie on top of the discards, or a series on a series of the same values, you may give away up to two cards.",
  "howto.ace-race.end": "A player without cards wins at once. When the draw pile is empty and all players pass, the player with the fewest cards wins.",
  "howto.ace-race.keys": "Tab moves to the cards and moves, Enter or Space selects.",

  "option.ace-race.continuation": "Single card after a multiple or series",
  "option.ace-race.continuation.strict": "strict: cannot be continued",
  "option.ace-race.continuation.chained": "chained: can be continued",
  "option.ace-race.dealer": "Dealer",
  "option.ace-race.previous_winner": "Winner of the previous deal",

  "explain.ace-race.continuation": "After a multiple or series, one card that fits may follow alone.",
  "explain.ace-race.continuation.strict": "No further card may follow it.",
  "explain.ace-race.continuation.chained": "Further single cards may follow it.",
  "explain.ace-race.dealer": "Dealing and bidding start at the dealer’s left.",
  "explain.ace-race.previous_winner": "They may give away up to two cards before the first play.",

  "set.ace-race.continuation.strict": "After a multiple or series one card may follow, and no other after it (strict)",
  "set.ace-race.continuation.chained": "After a multiple or series single cards may follow one after another (chained)",

  "outcome.ace-race.blocked": "No player could move. Fewest cards: {names}.",
  "outcome.ace-race.left": { one: "{count} card left", other: "{count} cards left" },

  "replay.move.bid": { one: "bid {count} card", other: "bid {count} cards" },
  "replay.move.play": "play {cards}",
  "replay.move.rule": "name the rule",
  "replay.move.decline": "give nothing away",
  "replay.move.give": "give away: {gifts}",
  "replay.move.gift": "{card} to {to}",
  "replay.move.ruled": "{move} ({rule})",
  "replay.move.directed": "{move}, the next {direction}",
} as const;
