import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 4), by the keys of their rulings. */
export default {
  "ruling.idle-aces.draw": "Dobiera się jedną kartę z talonu na stos odkryty, dopóki w talonie są karty.",
  "ruling.idle-aces.redeal":
    "Stos odkryty odwraca się tylko wtedy, gdy talon jest pusty; kolejność zostaje.",
  "ruling.idle-aces.redeals": "Odwraca się tyle razy, ile ustala stół; inaczej raz.",
  "ruling.idle-aces.waste": "Ze stosu odkrytego można zagrać tylko wierzchnią kartę, dopóki jakaś tam leży.",
  "ruling.idle-aces.twos-build-up":
    "Stosy dwójek rosną od dwójki do króla, każda karta o jeden; kolory nie mają znaczenia.",
  "ruling.idle-aces.kings-build-down":
    "Stosy króli maleją od króla do asa, każda karta o jeden; kolory nie mają znaczenia.",
  "ruling.idle-aces.between-piles": "Wierzchnią kartę stosu można przenieść na inny, do którego pasuje.",
  "ruling.idle-aces.bases-stay": "Najniższa karta stosu nigdy go nie opuszcza.",
  "ruling.idle-aces.aces":
    "Na pola asów idzie każdy as, ze stosu odkrytego lub ze stosu króli, aż leżą tam cztery; co tam leży, zostaje.",
  "ruling.idle-aces.drawing-is-free": "Dobierać można także wtedy, gdy coś pasuje.",
  "ruling.idle-aces.lost": "Gra jest przegrana, gdy talon jest pusty, nie można już odwracać, a żaden ciąg ruchów między stosami nie pozwoli nigdy zagrać wierzchniej karty stosu odkrytego; wtedy gra kończy się sama.",
  "ruling.idle-aces.won": "Gra jest wygrana, gdy leżą wszystkie 104 karty; kto się podda, przegrywa od razu.",
  "ruling.idle-aces.onto-itself": "Stosu nie kładzie się na nim samym.",
  "ruling.idle-aces.absent": "Gdy czas minie, gra liczy się jako poddana.",
  "ruling.idle-aces.one-seat": "Gra ma jedno miejsce i tylko ono wykonuje ruchy.",
  "ruling.idle-aces.not-dealt": "Karty rozdaje się, gdy wszystkie miejsca wniosły swój udział (przy starcie).",
  "ruling.idle-aces.over": "Gra zakończona lub odwołana nie toczy się dalej.",
} as const satisfies Catalogue;
