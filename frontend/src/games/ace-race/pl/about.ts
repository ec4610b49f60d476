export default {
  "about.ace-race": "Pozbądź się kart według reguł, które zmieniają asy",

  "tip.ace-race.1": "Twoja ręka: wybierz jedną lub więcej kart. Wygrywa, kto pierwszy pozbędzie się wszystkich.",
  "tip.ace-race.2": "Tu widać, co możesz teraz zrobić: licytować, zagrać, dobrać albo spasować.",
  "tip.ace-race.3": "Obowiązująca reguła i ostatnie karty. Zagranie musi pasować do reguły; as wprowadza nową.",
  "picture.ace-race.multiples": "Wielokrotności: od dwóch do czterech kart jednej wartości",
  "picture.ace-race.series": "Seria: trzy kolejne wartości",
  "picture.ace-race.ace": "Asa można zagrać zawsze; wprowadza nową regułę",

  "howto.ace-race.aim": "Pozbądź się wszystkich kart przed innymi. O tym, co można zagrać, decyduje reguła, a każdy as przynosi nową.",
  "howto.ace-race.table": "Na dole jest twoja ręka; u innych graczy widzisz tylko, ile mają kart.\nNa środku są stos dobierania, zagrane karty i obecna reguła.",
  "howto.ace-race.turn": "Najpierw licytujesz, ile kart dobierzesz za prawo wyznaczenia pierwszej reguły, najwyżej sześć. Każda oferta musi być wyższa od poprzedniej; inaczej pasujesz. Kto da najwięcej, dobiera tyle kart i wyznacza regułę.\nW swoim ruchu wybierz karty zgodne z regułą i je zagraj. Karty, które można zagrać, są oznaczone. Jeśli nic nie pasuje albo tak wolisz, dobierz kartę. Jeśli pasuje, możesz ją zagrać; inaczej pasujesz.\nAsa można zagrać w każdym ruchu. Przynosi nową regułę, którą przy nim wybierasz, zagrane karty są wtasowywane do stosu dobierania, a ty od razu grasz dalej.\nJokera zagrywa się z jedną inną kartą, która nie musi wtedy pasować.",
  "howto.ace-race.also": "Reguły, które może przynieść as, zależą od jego koloru: kier wielokrotności lub serie, karo wysokie, średnie lub niskie, trefl kolory lub liczby pierwsze, pik wyżej i niżej. Pierwsza reguła może być dowolna.\nWielokrotności: od dwóch do czterech kart jednej wartości; po wielokrotności także pojedyncza karta tej wartości.\nSerie: trzy kolejne wartości, w górę lub w dół; po serii także karta, która przedłuża ją na końcu.\nWysokie, średnie i niskie: jedna karta z tego zakresu.\nKolory: jedna karta podanego koloru.\nLiczby pierwsze: dwójka, trójka, piątka, siódemka, walet (11) lub król (13).\nWyżej i niżej: na przemian karta wyższa i niższa od poprzedniej.\nGdy na wierzchu zagranych kart leżą cztery równe wartości albo seria na serii tych samych wartości, możesz oddać do dwóch kart.",
  "howto.ace-race.end": "Gracz bez kart wygrywa od razu. Gdy stos dobierania jest pusty i wszyscy pasują, wygrywa gracz z najmniejszą liczbą kart.",
  "howto.ace-race.keys": "Tab przenosi do kart i ruchów, Enter lub spacja wybiera.",

  "option.ace-race.continuation": "Pojedyncza karta po wielokrotności lub serii",
  "option.ace-race.continuation.strict": "ściśle: nie można jej przedłużyć",
  "option.ace-race.continuation.chained": "łańcuchem: można ją przedłużać",
  "option.ace-race.dealer": "Rozdający",
  "option.ace-race.previous_winner": "Zwycięzca poprzedniego rozdania",

  "explain.ace-race.continuation": "Po wielokrotności lub serii można dołożyć jedną pasującą kartę.",
  "explain.ace-race.continuation.strict": "Kolejnej karty już się po niej nie dokłada.",
  "explain.ace-race.continuation.chained": "Można po niej dokładać kolejne pojedyncze karty.",
  "explain.ace-race.dealer": "Rozdawanie i licytacja zaczynają się na lewo od rozdającego.",
  "explain.ace-race.previous_winner": "Przed pierwszym zagraniem może oddać do dwóch kart.",

  "set.ace-race.continuation.strict": "Po wielokrotności lub serii można dołożyć jedną kartę, a po niej już żadnej (ściśle)",
  "set.ace-race.continuation.chained": "Po wielokrotności lub serii można dokładać pojedyncze karty jedna po drugiej (łańcuchem)",

  "outcome.ace-race.blocked": "Nikt nie mógł się ruszyć. Najmniej kart: {names}.",
  "outcome.ace-race.left": {
    one: "została {count} karta",
    few: "zostały {count} karty",
    many: "zostało {count} kart",
    other: "zostało {count} karty",
  },

  "replay.move.bid": {
    one: "oferta: {count} karta",
    few: "oferta: {count} karty",
    many: "oferta: {count} kart",
    other: "oferta: {count} karty",
  },
  "replay.move.play": "zagraj: {cards}",
  "replay.move.rule": "wyznacz regułę",
  "replay.move.decline": "niczego nie oddawaj",
  "replay.move.give": "oddaj: {gifts}",
  "replay.move.gift": "{card} → {to}",
  "replay.move.ruled": "{move} ({rule})",
  "replay.move.directed": "{move}, następna {direction}",
};
