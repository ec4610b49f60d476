export default {
  "generic.turn": "am Zug",
  "generic.moves": "Deine Züge",
  "generic.last": "Letzter Zug: {move} ({who})",
  "generic.lastNoSeat": "Letzter Zug: {move}",
  "generic.pile": { one: "{label} ({count} Karte)", other: "{label} ({count} Karten)" },
  "generic.none": "keine",
  "generic.yes": "ja",
  "generic.no": "nein",
};
