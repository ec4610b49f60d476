import type { Bracket, Standings } from "../api/tournaments";

/** The people who run a tournament see the names of anonymous entrants, which a screen or a sheet must not show. */
function withoutName<Row extends { name: string | null; shown_as: string | null }>(row: Row): Row {
  return row.shown_as === "anonymous" ? { ...row, name: null } : row;
}

export function sharedStandings(of: Standings): Standings {
  return { ...of, standings: of.standings.map(withoutName) };
}

export function sharedBracket(of: Bracket): Bracket {
  return { ...of, matches: of.matches.map((match) => ({ ...match, slots: match.slots.map(withoutName) })) };
}
