import type en from "../en/board";
import type { Translation } from "../../../i18n/message";

export default {
  "demons.foundations": "Gemeinsame Ablagen",
  "demons.foundation": "Ablage {number}, {suit}, oberste Karte von {name}, Rückseite {back}",
  "demons.new": "neue Ablage",
  "demons.own": "Deine Karten",
  "demons.demon": "dein Dämon",
  "demons.demonLeft": { one: "Dämon: {count} Karte", other: "Dämon: {count} Karten" },
  "demons.work": "Arbeitsstapel {number}",
  "demons.stuck": "Ich stecke fest",
  "demons.stuckNow": "Fest, wartet auf die anderen",
  "demons.isStuck": "steckt fest",
  "demons.score": "Punkte: {score}",
  "demons.back": "Rückseite: {back}",
  "demons.shows": "zeigt {cards}",
  "demons.stockLeft": { one: "Stapel: {count} Karte", other: "Stapel: {count} Karten" },
  "demons.demonNote": "Dämon: {count}",
  "demons.stockNote": "Stapel: {count}",

  "hint.demon": "Dämon",
  "hint.work": "Arbeitsstapel {number}",
  "move.turn": "Karten aufdecken",
  "move.stuck": "melden, dass du feststeckst",
  "event.turn": "aufgedeckt",
  "event.stuck": "steckt fest",
} satisfies Translation<typeof en>;
