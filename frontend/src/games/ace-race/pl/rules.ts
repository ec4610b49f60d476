import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 5), by the keys of their rulings. */
export default {
  "ruling.ace-race.deal":
    "54 karty rozdaje się pojedynczo, zaczynając na lewo od rozdającego: po dwanaście przy dwóch, trzech lub czterech miejscach, po osiem przy sześciu.",
  "ruling.ace-race.bidding":
    "Licytuje się zgodnie z ruchem wskazówek zegara, zaczynając na lewo od rozdającego; oferta od 0 do 6 musi przebić poprzednią, a kto spasuje, już nie licytuje.",
  "ruling.ace-race.first-rule":
    "Kto wygra licytację, wyznacza pierwszą regułę, dowolną, i nie potrzebuje do tego asa.",
  "ruling.ace-race.high": "Wysokie: zagrywa się jedną kartę o wartości 10, 11, 12 lub 13.",
  "ruling.ace-race.medium": "Średnie: zagrywa się jedną kartę o wartości 6, 7, 8 lub 9.",
  "ruling.ace-race.low": "Niskie: zagrywa się jedną kartę o wartości 2, 3, 4 lub 5.",
  "ruling.ace-race.suits": "Kolory: zagrywa się jedną kartę od dwójki do króla w podanym kolorze.",
  "ruling.ace-race.prime": "Liczby pierwsze: zagrywa się jedną kartę o wartości 2, 3, 5, 7, 11 lub 13.",
  "ruling.ace-race.spades":
    "As pik wyznacza „wyżej i niżej”; dwie możliwości pika to dwa kierunki tej reguły.",
  "ruling.ace-race.first-play":
    "Kto wygrał ostatnie rozdanie, oddaje karty po wyznaczeniu reguły, a przed pierwszą kartą.",
  "ruling.ace-race.aces":
    "Asa zagrywa się samego, w dowolnym ruchu, i wyznacza on regułę swojego koloru; karty pod nim są wtasowywane do stosu dobierania, a to samo miejsce ma jeszcze jeden ruch.",
  "ruling.ace-race.winning":
    "As lub każda inna karta, po której ręka jest pusta, wygrywa od razu, przed wszystkim innym.",
  "ruling.ace-race.turn":
    "Ruch to zagranie albo dobranie, a po nim zagranie dobranej karty lub pas.",
  "ruling.ace-race.empty-draw-pile":
    "Gdy stos dobierania jest pusty, pas zastępuje dobranie; gdy wszystkie miejsca kolejno spasują, gra się kończy i wygrywa najmniejsza liczba kart.",
  "ruling.ace-race.jokers":
    "Jokera zagrywa się z dokładnie jedną kartą od dwójki do króla, pasującą lub nie; nigdy samego, nigdy z asem, i leży on pod nią.",
  "ruling.ace-race.multiples":
    "Wielokrotności: zagrywa się od dwóch do czterech kart jednej wartości albo, gdzie można ją przedłużyć, jedną kartę ostatniej wartości.",
  "ruling.ace-race.series":
    "Serie: zagrywa się trzy kolejne wartości, w górę lub w dół, albo, gdzie można ją przedłużyć, jedną kartę o jeden wyżej lub niżej od ostatniej.",
  "ruling.ace-race.continuation":
    "Ściśle: pojedyncza karta przedłuża tylko wielokrotność lub serię; łańcuchem: także pojedynczą kartę, która sama to zrobiła, dowolnie wiele razy.",
  "ruling.ace-race.previous-play":
    "Ostatnie zagranie to ostatnie, w którym od ostatniego asa położono karty; zagranie z jokerem nie jest ani wielokrotnością, ani serią.",
  "ruling.ace-race.above-below":
    "Wyżej i niżej: najpierw dowolna karta od dwójki do króla; potem każda jest na przemian wyższa lub niższa od poprzedniej.",
  "ruling.ace-race.direction":
    "Kierunek podaje się przy pierwszej karcie reguły „wyżej i niżej”, także z jokerem, a poza tym przy żadnej.",
  "ruling.ace-race.giveaway": "Oddaje się do dwóch kart z ręki innym miejscom, po jednej albo obie jednemu; można też z tego zrezygnować.",
  "ruling.ace-race.turn-order":
    "Gra idzie zgodnie z ruchem wskazówek zegara; po ruchu z asem idzie dalej od miejsca, które go zagrało.",
  "ruling.ace-race.phase":
    "Każda faza ma swoje ruchy: licytuj lub spasuj; wyznacz regułę; oddaj karty lub nie; zagraj, dobierz lub spasuj.",
  "ruling.ace-race.own-cards": "Każde miejsce zagrywa karty z własnej ręki, każdą raz.",
  "ruling.ace-race.not-dealt": "Karty rozdaje się, gdy wszystkie miejsca wniosły swój udział (przy starcie).",
  "ruling.ace-race.absent": "Gdy czas miejsca minie, ruch wykonuje serwer: pasuje w licytacji, wyznacza „wysokie”, niczego nie oddaje albo dobiera i pasuje.",
  "ruling.ace-race.over": "Gra zakończona lub odwołana nie toczy się dalej.",
} as const satisfies Catalogue;
