export default {
  "about.vegas-solitaire": "Każda karta na stosach bazowych płaci",

  "tip.vegas-solitaire.1": "Naciśnij talon, aby dobrać karty na stos odkryty.",
  "tip.vegas-solitaire.2": "W kolumnach układaj w dół, na przemian czerwone i czarne. Przeciągnij kartę albo naciśnij ją, a potem jej miejsce.",
  "tip.vegas-solitaire.3": "Tu trafiają asy, a potem każdy kolor aż do króla. Każda karta tutaj płaci; dwuklik wysyła kartę na górę.",
  "picture.vegas-solitaire.foundation": "Na stosie bazowym: jeden kolor, od asa w górę",
  "picture.vegas-solitaire.column": "W kolumnie: w dół, na przemian czerwone i czarne",

  "howto.vegas-solitaire.aim": "Przenieś karty na cztery stosy bazowe, każdy kolor od asa do króla. Każda karta, która na końcu tam leży, przynosi kwotę za kartę.",
  "howto.vegas-solitaire.table": "Na górze po lewej: zakryty talon i stos odkryty z dobranymi kartami.\nNa górze po prawej: cztery stosy bazowe, po jednym na kolor.\nPoniżej: siedem kolumn; ostatnia karta każdej jest odkryta.",
  "howto.vegas-solitaire.turn": "Przeciągnij kartę tam, gdzie ma leżeć, albo naciśnij kartę, a potem miejsce. Miejsca, które ją przyjmą, są obramowane.\nW kolumnach karty maleją o jeden, na przemian czerwone i czarne: czarna szóstka na czerwoną siódemkę. Odkryte karty można przenosić razem, cały ciąg albo jego część.\nNa pustą kolumnę idzie tylko król albo ciąg, który się nim zaczyna.\nStos bazowy zaczyna się asem i rośnie o jeden w swoim kolorze. Podwójne kliknięcie wysyła tam kartę. Karty mogą też wrócić; odejmuje to, co przyniosły.\nNaciśnij zakrytą kartę na końcu kolumny, aby ją odkryć. Sama się nie odwraca.\nNaciśnij talon, aby dobrać: jedną kartę w wersji „1 Draw”, trzy w „3 Draw”. Wierzchnią kartę stosu odkrytego można zagrać; gdy pasuje, stoi nad nią strzałka.",
  "howto.vegas-solitaire.also": "1 Draw przechodzi talon raz, 3 Draw trzy razy: gdy jest pusty, naciśnij go, aby odwrócić stos odkryty. X oznacza, że nie zostało już żadne przejście.\nCofnąć można ostatni ruch, jeśli było to dobranie albo karta ze stosu odkrytego lub na stos bazowy i z niego; raz, od razu po nim.",
  "howto.vegas-solitaire.end": "Grę możesz skończyć w każdej chwili: „Zakończ i odbierz” wypłaca wygraną. Gdy wszystkie karty są odkryte, a talon i stos odkryty puste, wszystkie karty same przechodzą na stosy bazowe.",
  "howto.vegas-solitaire.keys": "1 do 7: kolumny.\n{longer} i {shorter}: ile kart bierze klawisz kolumny.\n{waste}: stos odkryty. {stock}: talon.\n{foundation}: na stos bazowy.\n{undo}: cofnij. {end}: zakończ i odbierz.",

  "option.vegas-solitaire.draw": "Wersja",
  "option.vegas-solitaire.draw.1": "1 Draw: po jednej karcie, jedno przejście",
  "option.vegas-solitaire.draw.3": "3 Draw: po trzy karty, trzy przejścia",

  "explain.vegas-solitaire.draw": "Każda karta na stosach bazowych płaci. Grę możesz skończyć w każdej chwili.",
  "explain.vegas-solitaire.draw.1": "Widzisz każdą kartę talonu, ale tylko raz.",
  "explain.vegas-solitaire.draw.3": "Z trzech kart można zagrać tylko wierzchnią; talon przechodzisz trzy razy.",

  "set.vegas-solitaire.draw.1": "1 Draw: po jednej karcie, jedno przejście",
  "set.vegas-solitaire.draw.3": "3 Draw: po trzy karty, trzy przejścia",

  "outcome.vegas-solitaire.collected": {
    one: "{count} karta na stosach bazowych: odebrano {amount}.",
    few: "{count} karty na stosach bazowych: odebrano {amount}.",
    many: "{count} kart na stosach bazowych: odebrano {amount}.",
    other: "{count} karty na stosach bazowych: odebrano {amount}.",
  },

  "vegas.receipt": "Potwierdzenie",
  "vegas.print": "Drukuj potwierdzenie",
  "vegas.game": "Partia",
  "vegas.player": "Gracz",
  "vegas.ended": "Koniec",
  "vegas.version": "Wersja",
  "vegas.cards": "Karty na stosach bazowych",
  "vegas.onFoundations": {
    one: "{count} karta na stosach bazowych",
    few: "{count} karty na stosach bazowych",
    many: "{count} kart na stosach bazowych",
    other: "{count} karty na stosach bazowych",
  },
  "vegas.net": "Wynik",
  "vegas.proof": "Skrót ostatniego zdarzenia",
  "vegas.historyMore": "Pokaż wcześniejsze partie",
  "vegas.historyNone": "Nie ma jeszcze partii na pieniądze.",
  "vegas.version1": "1 Draw",
  "vegas.version3": "3 Draw",

  "replay.event.collect": "zakończenie gry i odebranie wygranej",
};
