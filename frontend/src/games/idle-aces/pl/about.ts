export default {
  "about.idle-aces": "Pasjans z dwóch talii wokół krzyża",

  "tip.idle-aces.1": "Naciśnij talon, aby odkryć kartę.",
  "tip.idle-aces.2": "Kładź odkrytą kartę tam, gdzie pasuje: pod stosem napisano, co przyjmie. Kolory nie mają znaczenia.",
  "tip.idle-aces.3": "Każde z tych czterech pól przyjmuje jednego asa, który tam zostaje.",
  "picture.idle-aces.twos": "Na stosie dwójek: w górę, dowolny kolor",
  "picture.idle-aces.kings": "Na stosie królów: w dół, dowolny kolor",

  "howto.idle-aces.aim": "Ułóż wszystkie 104 karty z dwóch talii na stosach krzyża. Kolory nie mają znaczenia.",
  "howto.idle-aces.table": "Krzyż z ośmiu stosów: cztery zaczynają się dwójką na środku, cztery królem na końcach.\nNa górze, po dwa z każdej strony górnego króla, cztery pola na asy.\nNa dole po lewej zakryty talon, a na prawo od niego stos odkryty.",
  "howto.idle-aces.turn": "Naciśnij talon, aby odłożyć jedną kartę na stos odkryty.\nZagraj wierzchnią kartę stosu odkrytego lub innego stosu tam, gdzie pasuje: stosy dwójek rosną o jeden do króla, stosy króli maleją o jeden do asa. Pod każdym stosem jest napisane, co przyjmie jako następne.\nKażde z czterech pól przyjmuje jednego asa dowolnego koloru; nie można go już stamtąd ruszyć. Pozostałe cztery asy kończą stosy króli.",
  "howto.idle-aces.also": "Pierwsza karta stosu nigdy go nie opuszcza.\nGdy talon jest pusty, naciśnij go, aby odwrócić stos odkryty, tyle razy, na ile pozwala stół.\nMożesz dobierać także wtedy, gdy jakaś karta pasuje.",
  "howto.idle-aces.end": "Wygrywasz, gdy wszystkie karty są ułożone. Przegrywasz, gdy się poddasz albo gdy nie ma już czego dobrać, a wierzchniej karty stosu odkrytego nie da się już nigdy zagrać; gra wykrywa to sama.",
  "howto.idle-aces.keys": "{stock}: talon. {waste}: stos odkryty.\n{foundation}: as na pole.\n{end}: poddaj się.",

  "option.idle-aces.redeals": "Odwrócenia stosu odkrytego (0 do 2)",

  "explain.idle-aces.redeals": "Ile razy stos odkryty po odwróceniu znów staje się talonem. Im więcej, tym łatwiejsza gra.",

  "set.idle-aces.redeals": {
    one: "{count} odwrócenie na partię",
    few: "{count} odwrócenia na partię",
    many: "{count} odwróceń na partię",
    other: "{count} odwrócenia na partię",
  },

  "outcome.idle-aces.won": "Wygrana: ułożone karty: {count}, zagrania: {plays}.",
  "outcome.idle-aces.lost": "Przegrana: ułożone karty: {count} ze 104.",

  "replay.event.redeal": "odwrócenie stosu odkrytego",
  "replay.event.resign": "poddanie partii",
};
