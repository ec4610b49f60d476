import type { Catalogue } from "../../../i18n/message";

/** The sentences of the rules (RULEBOOK 5), by the keys of their rulings. */
export default {
  "ruling.ace-race.deal":
    "54 Karten werden einzeln gegeben, links vom Geber beginnend: je zwölf bei zwei, drei oder vier Plätzen, je acht bei sechs.",
  "ruling.ace-race.bidding":
    "Geboten wird im Uhrzeigersinn, links vom Geber beginnend; ein Gebot von 0 bis 6 muss das letzte überbieten, und wer passt, bietet nicht mehr.",
  "ruling.ace-race.first-rule":
    "Wer das Bieten gewinnt, nennt die erste Regel, irgendeine, und braucht dafür kein Ass.",
  "ruling.ace-race.high": "Hoch: Gespielt wird eine Karte vom Wert 10, 11, 12 oder 13.",
  "ruling.ace-race.medium": "Mittel: Gespielt wird eine Karte vom Wert 6, 7, 8 oder 9.",
  "ruling.ace-race.low": "Niedrig: Gespielt wird eine Karte vom Wert 2, 3, 4 oder 5.",
  "ruling.ace-race.suits": "Farben: Gespielt wird eine Karte von Zwei bis König in der genannten Farbe.",
  "ruling.ace-race.prime": "Primzahlen: Gespielt wird eine Karte vom Wert 2, 3, 5, 7, 11 oder 13.",
  "ruling.ace-race.spades":
    "Das Pik-Ass nennt drüber und drunter; die beiden Möglichkeiten von Pik sind dessen zwei Richtungen.",
  "ruling.ace-race.first-play":
    "Wer das letzte Spiel gewonnen hat, verschenkt, nachdem die Regel genannt ist und vor der ersten Karte.",
  "ruling.ace-race.aces":
    "Ein Ass wird allein gespielt, in jedem Zug, und nennt eine Regel seiner Farbe; was darunter liegt, wird in den Ziehstapel gemischt, und derselbe Platz ist noch einmal am Zug.",
  "ruling.ace-race.winning":
    "Ein Ass oder jede andere Karte, mit der die Hand leer wird, gewinnt sofort, vor allem Weiteren.",
  "ruling.ace-race.turn":
    "Ein Zug ist Spielen, oder Ziehen und danach Spielen mit der gezogenen Karte oder Passen.",
  "ruling.ace-race.empty-draw-pile":
    "Ist der Ziehstapel leer, steht Passen für das Ziehen; passen alle Plätze nacheinander, ist Schluss, und die wenigsten Karten gewinnen.",
  "ruling.ace-race.jokers":
    "Ein Joker geht mit genau einer Karte von Zwei bis König, ob sie passt oder nicht; nie allein, nie mit einem Ass, und er liegt unter ihr.",
  "ruling.ace-race.multiples":
    "Mehrlinge: Gespielt werden zwei bis vier Karten eines Werts oder, wo einer weitergeführt werden darf, eine Karte des letzten Werts.",
  "ruling.ace-race.series":
    "Serien: Gespielt werden drei Werte hintereinander, auf oder ab, oder, wo eine weitergeführt werden darf, eine Karte, die um eins über oder unter der letzten liegt.",
  "ruling.ace-race.continuation":
    "Streng: Eine einzelne Karte führt nur einen Mehrling oder eine Serie weiter; verkettet: auch eine einzelne Karte, die das selbst tat, beliebig oft.",
  "ruling.ace-race.previous-play":
    "Das letzte Spiel ist das letzte, mit dem seit dem letzten Ass Karten gelegt wurden; eines mit Joker ist weder Mehrling noch Serie.",
  "ruling.ace-race.above-below":
    "Drüber und drunter: Zuerst kommt irgendeine Karte von Zwei bis König; dann ist jede abwechselnd höher oder niedriger als die vorige.",
  "ruling.ace-race.direction":
    "Die Richtung gehört zur ersten Karte unter drüber und drunter, auch mit Joker, und sonst zu keiner.",
  "ruling.ace-race.giveaway": "Verschenkt werden bis zu zwei Karten der Hand an andere Plätze, je eine oder beide an einen; man darf auch verzichten.",
  "ruling.ace-race.turn-order":
    "Es geht im Uhrzeigersinn; nach dem Zug eines Asses geht es bei dem Platz weiter, der es gespielt hat.",
  "ruling.ace-race.phase":
    "Jeder Abschnitt hat seine Züge: bieten oder passen; Regel nennen; verschenken oder nicht; spielen, ziehen oder passen.",
  "ruling.ace-race.own-cards": "Jeder Platz spielt Karten der eigenen Hand, jede einmal.",
  "ruling.ace-race.not-dealt": "Gegeben wird, wenn alle Plätze beigetragen haben (beim Start).",
  "ruling.ace-race.absent": "Ist die Zeit eines Platzes um, zieht der Server: Er passt beim Bieten, nennt hoch, verschenkt nichts oder zieht und passt.",
  "ruling.ace-race.over": "Ein Spiel, das zu Ende oder abgesagt ist, geht nicht weiter.",
} as const satisfies Catalogue;
