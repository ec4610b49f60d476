import { PACK } from "../../proof/packs";
import type { Details } from "../manifest";
import { suitText, winnersText } from "./outcome";
import PhotoFinish from "./PhotoFinish.svelte";

export default {
  packs: () => ({ deck: PACK.filter((card) => !card.startsWith("A")) }),
  outcome: (game) => winnersText(game) || suitText(game),
  winners: winnersText,
  result: PhotoFinish,
  choice: () => import("./SuitChoice.svelte"),
  market: () => import("./MarketPanel.svelte"),
  setup: {
    isDrawn: true,
    initial: { seats: 1, config: { suits: "chosen" } },
    fixed: (seats): Readonly<Record<string, unknown>> => (seats === 0 ? { suits: "none" } : {}),
    hasBuyIn: ({ suits }, seats) => suits === "chosen" && seats > 1,
    isPool: true,
    hasChoice: ({ suits }, seats) => suits === "chosen" && seats > 0,
  },
  tips: [".tracks li", ".tracks li .done", ".figures"],
  pictures: [
    { chapter: "aim", name: "aces", cards: ["AC", "AD", "AH", "AS"] },
  ],
} satisfies Details;
