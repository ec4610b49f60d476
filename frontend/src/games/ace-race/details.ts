import type { Game, Move } from "../../api/play";
import { cardName } from "../../cards/card";
import { PACK } from "../../proof/packs";
import { i18n } from "../../i18n/i18n.svelte";
import { seatName, seatNames } from "../../table/seats";
import type { Details } from "../manifest";
import { directionOf, giftsOf, ruleOf } from "./choices";
import Places from "./Places.svelte";
import { ruleText } from "./texts";

interface Blocked {
  result: string;
  winners: number[];
}

function outcome(game: Game): string {
  const { result, winners } = game.outcome as unknown as Blocked;
  return result === "blocked" ? i18n.text("outcome.ace-race.blocked", { names: seatNames(game, winners) }) : "";
}

/** What a move does, without the rule and the direction that it names. */
function action(move: Move, game: Game): string {
  const { type, cards, joker } = move as Move & { cards?: number | string[]; joker?: string };
  if (type === "rule" || type === "decline") return i18n.text(`replay.move.${type}`);
  if (type === "bid") return i18n.text("replay.move.bid", { count: Number(cards) });
  if (type === "give") {
    const gifts = giftsOf(move).map(({ card, to }) => i18n.text("replay.move.gift", { card: cardName(card), to: seatName(game, to) }));
    return i18n.text("replay.move.give", { gifts: i18n.list(gifts) });
  }
  if (!Array.isArray(cards)) return "";
  return i18n.text("replay.move.play", { cards: i18n.list([...cards, ...(joker ? [joker] : [])].map(cardName)) });
}

function move(made: Readonly<Record<string, unknown>>, game: Game): string {
  const said = action(made as Move, game);
  const [rule, direction] = [ruleOf(made as Move), directionOf(made as Move)];
  if (rule) return i18n.text("replay.move.ruled", { move: said, rule: ruleText(rule) });
  if (direction) return i18n.text("replay.move.directed", { move: said, direction: i18n.text(`acerace.${direction}`) });
  return said;
}

export default {
  packs: () => ({ deck: [...PACK, "X1", "X2"] }),
  outcome,
  result: Places,
  move,
  tips: [".dock section", ".dock .bar", ".race > :nth-child(2)"],
  pictures: [
    { chapter: "turn", name: "multiples", cards: ["7H", "7C", "7S"] },
    { chapter: "turn", name: "series", cards: ["8D", "9S", "TH"] },
    { chapter: "turn", name: "ace", cards: ["AC"] },
  ],
} satisfies Details;
