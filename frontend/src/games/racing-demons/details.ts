import { packOf } from "../../proof/packs";
import type { Details } from "../manifest";
import Scores from "./Scores.svelte";

export default {
  packs: (seats) => Object.fromEntries(Array.from({ length: seats }, (_, seat) => [`deck|${seat}`, packOf(String(seat))])),
  result: Scores,
  tips: ['.pile[data-pile="demon"]', ".foundations", ".work"],
  pictures: [
    { chapter: "turn", name: "foundation", cards: ["AH", "2H", "3H", "4H"] },
    { chapter: "turn", name: "work", cards: ["TS", "9H", "8C"] },
  ],
} satisfies Details;
