import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 3), by the keys of their rulings. */
export default {
  "ruling.vegas-solitaire.draw":
    "Dobiera się jedną kartę (1 Draw) albo do trzech (3 Draw), jedna po drugiej, odkryte na stos odkryty.",
  "ruling.vegas-solitaire.fan":
    "Wachlarz to karty dobrane jako ostatnie; gdy wszystkie są zagrane, widać kartę pod nimi, zawsze jedną.",
  "ruling.vegas-solitaire.exhausted":
    "Z pustego talonu niczego się nie dobiera; w ostatnim przejściu pusty talon jest wyczerpany.",
  "ruling.vegas-solitaire.passes": "1 Draw przechodzi talon raz, 3 Draw trzy razy.",
  "ruling.vegas-solitaire.recycle":
    "Stos odkryty odwraca się tylko wtedy, gdy talon jest pusty, a stos odkryty nie; kolejność zostaje.",
  "ruling.vegas-solitaire.columns-build-down": "W kolumnach karty maleją, na przemian czerwone i czarne.",
  "ruling.vegas-solitaire.face-up-runs":
    "Każdy odkryty ciąg można przenieść, w całości lub w części; nie więcej kart, niż ma.",
  "ruling.vegas-solitaire.empty-column": "Na pustą kolumnę ciąg idzie tylko z królem na czele.",
  "ruling.vegas-solitaire.flip": "Kartę odkrywa się tylko osobnym ruchem i tylko ostatnią w kolumnie; zakrytej karty nigdzie się nie przenosi i niczego na niej nie układa.",
  "ruling.vegas-solitaire.undo":
    "Cofnąć można ostatni ruch, raz, i tylko dobranie, kartę ze stosu odkrytego albo kartę między stosem bazowym a kolumną.",
  "ruling.vegas-solitaire.sources":
    "Kartę bierze się ze stosu odkrytego, ze stosu bazowego albo z kolumny, w której jakaś leży; na stos odkryty nic nie wraca.",
  "ruling.vegas-solitaire.onto-itself": "Stosu nie kładzie się na nim samym.",
  "ruling.vegas-solitaire.foundations-build-up": "Stos bazowy rośnie w swoim kolorze od asa do króla.",
  "ruling.vegas-solitaire.winnings":
    "Wygrana to zawsze kwota za kartę razy karty na stosach bazowych; wypłacana jest dopiero przy odebraniu, które po rozdaniu jest możliwe w każdej chwili.",
  "ruling.vegas-solitaire.goes-up-by-itself":
    "Gdy wszystkie karty są odkryte, a talon i stos odkryty puste, karty same przechodzą na stosy bazowe; potem możesz już tylko odebrać wygraną.",
  "ruling.vegas-solitaire.absent": "Gdy czas minie, wygrana zostaje odebrana za ciebie; gra nigdy nie jest przegrana.",
  "ruling.vegas-solitaire.one-seat": "Gra ma jedno miejsce i tylko ono wykonuje ruchy.",
  "ruling.vegas-solitaire.not-dealt": "Karty rozdaje się, gdy wszystkie miejsca wniosły swój udział (przy starcie).",
  "ruling.vegas-solitaire.over": "Gra zakończona lub odwołana nie toczy się dalej.",
} as const satisfies Catalogue;
