import type { Match } from "../api/tournaments";

/** The place of a match: its column from 0, and its row, which may be between two rows. */
export interface Spot {
  match: Match;
  row: number;
}

export interface Column {
  round: number;
  spots: readonly Spot[];
}

/** From the winner of a match to where they go: columns and rows of both ends, and the slot, 0 or 1. */
export interface Line {
  from: number;
  to: number;
  slot: number;
  at: readonly [column: number, row: number];
  until: readonly [column: number, row: number];
}

/** One tree: of all who have not lost, with the final and the match for the third place, or of those who lost once. */
export interface Tree {
  side: "winners" | "losers";
  columns: readonly Column[];
  rows: number;
  lines: readonly Line[];
}

/** Whether tournaments of a format have a bracket. */
export const drawsBracket = (format: string): boolean => ["knockout", "double-knockout", "stages"].includes(format);

/** The trees of a bracket; a match lies between those from which its players come. */
export function trees(matches: readonly Match[]): Tree[] {
  const losers = matches.filter((match) => match.side === "losers");
  const others = matches.filter((match) => match.side !== "losers");
  return [
    ...(others.length > 0 ? [tree("winners", others)] : []),
    ...(losers.length > 0 ? [tree("losers", losers)] : []),
  ];
}

/** Of more than two, from which several go on to any of the next. */
export const isLarge = (match: Match) => match.slots.length > 2;

function tree(side: Tree["side"], matches: readonly Match[]): Tree {
  const atTables = matches.some(isLarge);
  const rounds = [...new Set(matches.map((match) => match.round))].sort((one, other) => one - other);
  const rows = new Map<number, number>();
  const leaves = Math.max(1, ...rounds.map((round) => matches.filter((match) => match.round === round).length));
  const columns = rounds.map((round) => {
    const here = matches.filter((match) => match.round === round);
    let free = 0;
    const spots = here.map((match, index) => {
      const evenly = ((index + 0.5) * leaves) / here.length - 0.5;
      const wanted = atTables ? evenly : (between(match, rows) ?? evenly);
      const row = Math.max(wanted, free);
      free = row + 1;
      rows.set(match.number, row);
      return { match, row };
    });
    return { round, spots };
  });
  return { side, columns, rows: Math.max(...rows.values()) + 1, lines: lines(columns) };
}

/** The middle of the matches whose winners come here; undefined where there are none in this tree. */
function between(match: Match, rows: ReadonlyMap<number, number>): number | undefined {
  const from = match.slots.flatMap(({ source }) => {
    const row = source?.won && source.match !== null ? rows.get(source.match) : undefined;
    return row === undefined ? [] : [row];
  });
  return from.length > 0 ? from.reduce((sum, row) => sum + row, 0) / from.length : undefined;
}

function lines(columns: readonly Column[]): Line[] {
  const places = new Map<number, readonly [number, number]>();
  const found: Line[] = [];
  for (const [column, { spots }] of columns.entries()) {
    for (const { match, row } of spots) {
      for (const [slot, { source }] of match.slots.entries()) {
        const from = source?.won ? source.match : null;
        const at = from === null ? undefined : places.get(from);
        // Several may come from one table; they are one line.
        const isDrawn = found.some((line) => line.from === from && line.to === match.number);
        if (at && from !== null && !isDrawn) found.push({ from, to: match.number, slot, at, until: [column, row] });
      }
    }
    for (const { match, row } of spots) places.set(match.number, [column, row]);
  }
  return found;
}

/** The matches that an entrant has come to, in their order. */
export function path(matches: readonly Match[], entry: number): number[] {
  return matches.filter(({ slots }) => slots.some((slot) => slot.entry === entry)).map(({ number }) => number);
}

/** A slot by its match and its index, as the keyboard goes from one to the next. */
export type Stop = readonly [match: number, slot: number];
export type Key = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End";

/** The slots with a player, in bracket order. */
export function stops(matches: readonly Match[]): Stop[] {
  return matches.flatMap(({ number, slots }) =>
    slots.flatMap((slot, index) => (slot.entry === null ? [] : [[number, index] as const])),
  );
}

/**
 * The target of a key: up and down within the round, right and left along the entrant's path or to the neighbouring round.
 */
export function next(matches: readonly Match[], from: Stop, key: Key): Stop {
  const all = stops(matches);
  if (key === "Home") return all[0] ?? from;
  if (key === "End") return all.at(-1) ?? from;
  const here = matches.find(({ number }) => number === from[0]);
  if (!here) return all[0] ?? from;
  const round = (number: number) => matches.find((match) => match.number === number)?.round ?? 0;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const sameRound = all.filter(([number]) => round(number) === here.round);
    const index = sameRound.findIndex(([number, slot]) => number === from[0] && slot === from[1]);
    return sameRound[index + (key === "ArrowDown" ? 1 : -1)] ?? from;
  }
  const forward = key === "ArrowRight";
  const entry = here.slots[from[1]]?.entry;
  const ahead = all.filter(([number]) => (forward ? round(number) > here.round : round(number) < here.round));
  const own = ahead.filter(([number, slot]) => matches.find((match) => match.number === number)?.slots[slot]?.entry === entry);
  const nearest = (found: readonly Stop[]) => (forward ? found[0] : found.at(-1));
  return nearest(own) ?? nearest(ahead) ?? from;
}
