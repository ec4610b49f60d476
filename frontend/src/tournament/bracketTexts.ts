import type { Match } from "../api/tournaments";
import { i18n } from "../i18n/i18n.svelte";
import { isLarge, type Column, type Tree } from "./bracket";

/** What a place is called that no entry has yet: a bye, or who comes there. */
export function openText(match: Match, slot: Match["slots"][number]): string {
  if (!slot.source) return i18n.text("tree.bye");
  if (match.state === "bye" || match.state === "empty" || match.state === "not-needed") return i18n.text("tree.nobody");
  const { match: number, won, round, place } = slot.source;
  if (round === null) return i18n.text(won ? "tree.winnerOf" : "tree.loserOf", { number: number ?? 0 });
  if (place === null) return i18n.text("tree.byeOf", { round });
  return number === null ? i18n.text("tree.placeIn", { place, round }) : i18n.text("tree.placeOf", { place, number });
}

/** The heading of a column: its round, and whether that is a final. */
export function title(matches: readonly Match[], tree: Tree, column: Column, isDouble: boolean): string {
  const [{ match } = { match: undefined }] = column.spots;
  if (match?.side === "decider") return i18n.text("tree.decider");
  const round = i18n.text("rounds.one", { round: column.round });
  if (match?.side === "final") return `${round} · ${i18n.text("tree.final")}`;
  if (tree.side === "losers" || isDouble) return round;
  if (match && matches.some(isLarge)) return decides(matches, match) ? `${round} · ${i18n.text("tree.final")}` : round;
  const ties = column.spots.filter((spot) => spot.match.side === "winners").length;
  if (ties === 1) return `${round} · ${i18n.text("tree.final")}`;
  if (ties === 2) return `${round} · ${i18n.text("tree.semis")}`;
  return ties === 4 ? `${round} · ${i18n.text("tree.quarters")}` : round;
}

/** Where the players of a match go next; empty for the last match. */
export function ways(matches: readonly Match[], match: Match): string {
  if (["bye", "empty", "not-needed"].includes(match.state) || match.slots.length < 2) return "";
  if (matches.some(isLarge)) return tableWays(matches, match);
  const winner = match.winner_to === null ? "" : i18n.text("tree.winnerTo", { number: match.winner_to });
  const loser = match.loser_to === null ? i18n.text("tree.loserOut") : i18n.text("tree.loserTo", { number: match.loser_to });
  const isLast = match.winner_to === null;
  return [winner, isLast ? "" : loser].filter(Boolean).join(" · ");
}

function tableWays(matches: readonly Match[], match: Match): string {
  if (decides(matches, match)) return i18n.text("tree.bestWins");
  return i18n.text(hasLives(match) ? "tree.bestKeep" : "tree.bestGoOn", { count: match.through });
}

const hasLives = ({ slots }: Match) => slots.some(({ lives }) => lives !== null);

/** Whether it is the one larger table at which a knockout ends; with two lives another may follow. */
function decides(matches: readonly Match[], match: Match): boolean {
  const sameRound = matches.filter(({ round }) => round === match.round);
  return match.round === Math.max(...matches.map(({ round }) => round)) && sameRound.length === 1 && match.slots.length > 1 && match.through === 1 && !hasLives(match);
}

/** The label of the tick next to a name. */
export const wonText = (match: Match): string => i18n.text(isLarge(match) && match.advancing.length > 1 ? "tree.advances" : "tree.won");

/** Of a match whose games are over while its round is still open, the same as after the round. */
export function stateText({ state, games }: Match): string {
  const isOver = state === "playing" && games.length > 0 && games.every(({ ended }) => ended !== null);
  return i18n.text(`tree.${isOver ? "decided" : state}`);
}
