import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 2), by the keys of their rulings. */
export default {
  "ruling.racing-aces.chosen-suits":
    "Unter `chosen` tritt jeder Platz mit einer Farbe an, die beim Hinsetzen gewählt wird; an Tischen mit bis zu vier Plätzen haben keine zwei dieselbe, an größeren höchstens zwei.",
  "ruling.racing-aces.draw":
    "Gezogen werden so viele Karten, wie der Tisch festlegt (weniger, wenn der Stapel weniger hat); jede kommt der Reihe nach an das Ende der Bahn ihrer Farbe.",
  "ruling.racing-aces.operator-draws": "Es zieht, wer das Rennen eröffnet hat, oder der Server; Spieler am Tisch ziehen nicht.",
  "ruling.racing-aces.all-cards-of-a-draw":
    "Alle Karten eines Zugs werden gelegt; erreichen mehrere Bahnen dabei das Ziel, gewinnt die, die zuerst voll war.",
  "ruling.racing-aces.no-winner": "Ist der Stapel leer und keine Bahn am Ziel, endet das Rennen ohne Sieger.",
  "ruling.racing-aces.bets":
    "Auf die siegende Farbe kann von der Eröffnung bis zum ersten Ziehen gewettet werden; gegeben wird, wenn der Markt schließt, und die Seeds der Wetten folgen denen der Plätze.",
  "ruling.racing-aces.exact-price":
    "Der faire Ertrag je Einheit ist 1/p, wenn ein Rennen ohne Sieger verliert, und (1 − p(ohne Sieger))/p, wenn es erstattet wird; p ist die genaue Chance der Farbe über die ungesehenen Karten.",
  "ruling.racing-aces.not-dealt": "Gegeben wird, wenn alle Plätze beigetragen haben (beim Start).",
  "ruling.racing-aces.over": "Ein Spiel, das zu Ende oder abgesagt ist, geht nicht weiter.",
} as const satisfies Catalogue;
