import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 6), by the keys of their rulings. */
export default {
  "ruling.racing-demons.turn":
    "Odkrywa się tyle kart, ile ustala stół, jedna po drugiej na stos odkryty; gdy talon jest pusty, najpierw odwraca się stos odkryty, a kolejność zostaje.",
  "ruling.racing-demons.sources":
    "Kartę bierze się z demona, ze stosu odkrytego, jeśli jakaś tam leży, albo ze stosu roboczego.",
  "ruling.racing-demons.pace":
    "W wyścigu każdy rusza się w dowolnej chwili i liczy się ten, kto dotrze pierwszy; po kolei gra idzie zgodnie z ruchem wskazówek zegara, po jednym ruchu, i można pasować.",
  "ruling.racing-demons.work-piles-build-down": "Stosy robocze maleją o jeden, na przemian czerwone i czarne.",
  "ruling.racing-demons.runs":
    "Ciągi dowolnej długości przenosi się z jednego stosu roboczego na drugi; nie więcej kart, niż tam leży.",
  "ruling.racing-demons.onto-itself": "Stosu nie kładzie się na nim samym.",
  "ruling.racing-demons.filling": "Pusty stos roboczy jest od razu uzupełniany z demona.",
  "ruling.racing-demons.foundations-build-up":
    "Każdy as może zacząć stos bazowy; stosy te nie należą do nikogo, rosną w swoim kolorze z kart wszystkich graczy i kończą się królem.",
  "ruling.racing-demons.ender": "Gdy demon jest pusty, gra kończy się od razu; kończy ją to miejsce.",
  "ruling.racing-demons.who-was-first":
    "Ruch dotyczy stanu, w którym dociera, a nie tego, który widać było na ekranie; kto spóźnił się na stos bazowy, dowiaduje się, kto był pierwszy.",
  "ruling.racing-demons.score":
    "Liczy się każda karta na stosie bazowym, minus karty w demonie, pięć więcej za każdego króla i dziesięć więcej dla tego, kto zakończył grę; równe punkty dzielą miejsce.",
  "ruling.racing-demons.stuck":
    "Brak ruchu zgłasza ten, kto go jeszcze nie zgłosił; gdy nikt nie ma ruchu, każdy talon przesuwa się o jedną kartę albo gra się kończy.",
  "ruling.racing-demons.time-limit":
    "Czas biegnie od rozdania; gdy minie, gra się kończy, a ruch, który dotrze później, jest spóźniony.",
  "ruling.racing-demons.last-move": "Po 10 000 ruchów miejsce już się nie rusza.",
  "ruling.racing-demons.seated": "Ruchy wykonują tylko miejsca tej partii.",
  "ruling.racing-demons.not-dealt": "Karty rozdaje się, gdy wszystkie miejsca wniosły swój udział (przy starcie).",
  "ruling.racing-demons.over": "Gra zakończona lub odwołana nie toczy się dalej.",
} as const satisfies Catalogue;
