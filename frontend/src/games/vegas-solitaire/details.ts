import type { Game } from "../../api/play";
import { site } from "../../api/site";
import { PACK } from "../../proof/packs";
import { i18n } from "../../i18n/i18n.svelte";
import type { Details } from "../manifest";
import Receipt from "./Receipt.svelte";

interface Collected {
  result: string;
  cards: number;
  winnings: number;
}

function outcome(game: Game): string {
  const { result, cards, winnings } = game.outcome as unknown as Collected;
  if (result !== "collected") return "";
  const isStaked = Number(game.config["stake"]) > 0;
  const amount = isStaked ? i18n.money(winnings, site.currency) : i18n.number(winnings);
  return i18n.text("outcome.vegas-solitaire.collected", { count: cards, amount });
}

export default {
  packs: () => ({ deck: PACK }),
  outcome,
  receipt: Receipt,
  history: () => import("./History.svelte"),
  tips: ['.pile[data-pile="stock"]', '.pile[data-pile="column:6"]', '.pile[data-pile^="foundation"]'],
  pictures: [
    { chapter: "aim", name: "foundation", cards: ["AS", "2S", "3S", "4S"] },
    { chapter: "turn", name: "column", cards: ["9H", "8S", "7D"] },
  ],
} satisfies Details;
