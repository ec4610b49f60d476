import type { Bracket, Round, Standings } from "../api/tournaments";

type Standing = Standings["standings"][number];

/** A player on the podium, with the id of the game that decided their place, if there is one. */
export interface Step {
  row: Standing;
  game: string | null;
}

/** The first three places of a finished tournament; more players if some share a place. */
export function podium(standings: Standings, bracket: Bracket | null, last: Round | undefined): Step[] {
  return standings.standings
    .filter((row) => row.place <= 3 && row.games > 0 && !row.disqualified)
    .map((row) => ({ row, game: lastMatch(bracket, row.entry) ?? lastTable(last, row.entry) }));
}

/** The last game of the last match that the entry played: the final, or the match for the third place. */
function lastMatch(bracket: Bracket | null, entry: number): string | null {
  const played = bracket?.matches.filter(({ games, slots }) => games.length > 0 && slots.some((slot) => slot.entry === entry));
  return played?.at(-1)?.games.at(-1)?.game ?? null;
}

function lastTable(round: Round | undefined, entry: number): string | null {
  const table = round?.tables.find(({ seats }) => seats.some((seat) => seat.entry === entry));
  return table?.games.findLast(({ game }) => game !== null)?.game ?? null;
}
