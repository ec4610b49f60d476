import { packOf } from "../../proof/packs";
import type { Details } from "../manifest";
import Scores from "./Scores.svelte";

export default {
  packs: (seats) => Object.fromEntries(Array.from({ length: seats }, (_, seat) => [`deck|${seat}`, packOf(String(seat))])),
  result: Scores,
} satisfies Details;
