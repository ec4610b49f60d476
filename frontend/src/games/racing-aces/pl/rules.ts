import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 2), by the keys of their rulings. */
export default {
  "ruling.racing-aces.chosen-suits":
    "Przy `chosen` każde miejsce startuje z kolorem wybranym przy siadaniu; przy stołach z najwyżej czterema miejscami żadne dwa nie mają tego samego, przy większych najwyżej dwa.",
  "ruling.racing-aces.draw":
    "Dobiera się tyle kart, ile ustala stół (mniej, jeśli talon ma mniej); każda idzie po kolei na koniec toru swojego koloru.",
  "ruling.racing-aces.operator-draws": "Dobiera ten, kto otworzył wyścig, albo serwer; gracze przy stole nie dobierają.",
  "ruling.racing-aces.all-cards-of-a-draw":
    "Kładzie się wszystkie karty jednego dobrania; jeśli do mety dociera przy tym kilka torów, wygrywa ten, który był pełny pierwszy.",
  "ruling.racing-aces.no-winner": "Jeśli talon jest pusty, a żaden tor nie dotarł do mety, wyścig kończy się bez zwycięzcy.",
  "ruling.racing-aces.bets":
    "Na zwycięski kolor można stawiać od otwarcia do pierwszego dobrania; karty rozdaje się, gdy rynek się zamyka, a ziarna zakładów następują po ziarnach miejsc.",
  "ruling.racing-aces.exact-price":
    "Uczciwy zwrot na jednostkę to 1/p, jeśli wyścig bez zwycięzcy przegrywa, i (1 − p(bez zwycięzcy))/p, jeśli jest zwracany; p to dokładna szansa koloru na niewidzianych kartach.",
  "ruling.racing-aces.not-dealt": "Karty rozdaje się, gdy wszystkie miejsca wniosły swój udział (przy starcie).",
  "ruling.racing-aces.over": "Gra zakończona lub odwołana nie toczy się dalej.",
} as const satisfies Catalogue;
