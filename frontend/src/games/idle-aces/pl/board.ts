export default {
  "idle.twos": "stos dwójek {number}, rosnąco, {next}",
  "idle.kings": "stos króli {number}, malejąco, {next}",
  "idle.next": "następna: {rank}",
  "idle.full": "komplet",
  "idle.ace": "pole asa {number}",
  "idle.aceLocked": "pole asa {number}, zajęte na stałe",
  "idle.redeals": {
    one: "zostało {count} odwrócenie",
    few: "zostały {count} odwrócenia",
    many: "zostało {count} odwróceń",
    other: "zostało {count} odwrócenia",
  },
  "idle.resign": "Poddaj się",
  "idle.resignAsk": "Poddać tę partię?",
  "idle.left": {
    one: "jeszcze {count}",
    few: "jeszcze {count}",
    many: "jeszcze {count}",
    other: "jeszcze {count}",
  },
  "idle.legend": "↑ dwójki rosną do króla, ↓ króle maleją do asa; kolory nie mają znaczenia. Zagrane asy zostają na polach.",

  "move.redeal": "odwróć stos odkryty",
  "move.resign": "poddaj się",
  "hint.twos": "stos dwójek {number}",
  "hint.kings": "stos króli {number}",
  "hint.aces": "pola asów",
};
