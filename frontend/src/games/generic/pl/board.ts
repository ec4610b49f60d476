export default {
  "generic.turn": "na ruchu",
  "generic.moves": "Twoje ruchy",
  "generic.last": "Ostatni ruch: {move} ({who})",
  "generic.lastNoSeat": "Ostatni ruch: {move}",
  "generic.pile": {
    one: "{label} ({count} karta)",
    few: "{label} ({count} karty)",
    many: "{label} ({count} kart)",
    other: "{label} ({count} karty)",
  },
  "generic.none": "brak",
  "generic.yes": "tak",
  "generic.no": "nie",
};
