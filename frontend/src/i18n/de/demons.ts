import type en from "../en/demons";
import type { Translation } from "../message";

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

  "back.harbour": "Hafen",
  "back.brick": "Ziegel",
  "back.moss": "Moos",
  "back.plum": "Pflaume",
  "back.amber": "Bernstein",
  "back.slate": "Schiefer",
  "back.lattice": "Gitter",
  "back.waves": "Wellen",
  "back.dots": "Punkte",
  "back.stars": "Sterne",
  "back.chevron": "Winkel",
  "back.night": "Nacht",
} satisfies Translation<typeof en>;
