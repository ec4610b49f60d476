export default {
  "about.racing-aces": "Wyścig czterech asów: wybierz kolor, oglądaj albo obstawiaj",

  "tip.racing-aces.1": "Każdy kolor ma swój tor. Jego as rusza do przodu, gdy zostanie dobrana karta tego koloru.",
  "tip.racing-aces.2": "Tak daleko jest as, a tak daleko meta. Wygrywa pierwszy na mecie.",
  "tip.racing-aces.3": "Pozostałe karty. Ich kolejność ustalono przed pierwszym dobraniem; nikt jej nie zmieni.",
  "picture.racing-aces.aces": "Czterej zawodnicy",

  "howto.racing-aces.aim": "Cztery asy ścigają się na swoich torach; wygrywa pierwszy na mecie. Jeśli wszyscy gracze wybrali kolor, wygrywają gracze zwycięskiego koloru.",
  "howto.racing-aces.table": "Cztery tory, po jednym na kolor, każdy ze swoim asem na starcie.\nTalon: pozostałe 48 kart, potasowane.",
  "howto.racing-aces.turn": "Z talonu dobiera się karty. Każda przesuwa asa swojego koloru o jedno pole do przodu.\nGracze nie mają wpływu na wyścig: decyduje kolejność kart, ustalona przed pierwszym dobraniem.\nJeśli rynek zakładów jest otwarty, przed pierwszym dobraniem możesz postawić na kolor.",
  "howto.racing-aces.also": "Sam as liczy się jako pierwsze pole swojego toru.\nPrzy najwyżej czterech miejscach każdy gracz ma inny kolor; przy większej liczbie ten sam mają najwyżej dwaj.\nGracze z kolorami mogą umówić się na pulę: każdy stawia tyle samo, a gracze zwycięskiego koloru się nią dzielą. Jeśli nikt go nie ma, stawki są zwracane.\nPrzy niektórych stołach przed startem usuwa się karty bez odkrywania albo dobiera po kilka naraz.",
  "howto.racing-aces.end": "Wyścig kończy się, gdy pierwszy as dotrze do mety. Jeśli usunięto karty, talon może skończyć się wcześniej; wtedy nie wygrywa żaden as.",
  "howto.racing-aces.keys": "Tab przenosi do przycisków, Enter lub spacja je naciska.",

  "option.racing-aces.suits": "Kolory",
  "option.racing-aces.suits.none": "Bez kolorów: wyścig do oglądania lub obstawiania",
  "option.racing-aces.suits.chosen": "Każdy gracz wybiera kolor",
  "option.racing-aces.finish_line": "Karty do mety, razem z asem (2 do 13)",
  "option.racing-aces.cards_per_draw": "Karty na dobranie (1 do 4)",
  "option.racing-aces.burn": "Karty usunięte bez odkrywania przed startem",

  "explain.racing-aces.suits.chosen": "Wygrywasz, jeśli twój kolor pierwszy dotrze do mety. Przy najwyżej czterech miejscach wszystkie kolory są różne; przy większych stołach jeden kolor mają najwyżej dwa miejsca.",
  "explain.racing-aces.finish_line": "Wygrywa kolor, którego tor jako pierwszy ma tyle kart. Szanse są równe przy każdej długości.",
  "explain.racing-aces.cards_per_draw": "Kładzie się wszystkie dobrane karty; jeśli do mety docierają dwa tory, wygrywa ukończony jako pierwszy.",
  "explain.racing-aces.burn": "Usunięte karty pozostają zakryte. Bez nich może się zdarzyć, że żaden kolor nie dotrze do mety: wtedy nie ma zwycięzcy.",

  "set.racing-aces.suits.chosen": "Każdy gracz wybiera kolor",
  "set.racing-aces.finish_line": {
    one: "Meta po {count} karcie, razem z asem",
    few: "Meta po {count} kartach, razem z asem",
    many: "Meta po {count} kartach, razem z asem",
    other: "Meta po {count} karty, razem z asem",
  },
  "set.racing-aces.cards_per_draw": {
    one: "{count} karta na dobranie",
    few: "{count} karty na dobranie",
    many: "{count} kart na dobranie",
    other: "{count} karty na dobranie",
  },
  "set.racing-aces.burn": {
    one: "{count} karta usunięta bez odkrywania przed startem",
    few: "{count} karty usunięte bez odkrywania przed startem",
    many: "{count} kart usuniętych bez odkrywania przed startem",
    other: "{count} karty usunięte bez odkrywania przed startem",
  },

  "outcome.racing-aces.suit": "Wygrywa as {suit}.",
  "outcome.racing-aces.no-winner": "Żaden as nie dotarł do mety.",
};
