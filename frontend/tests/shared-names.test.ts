import { expect, test } from "vitest";
import type { Bracket, Standings } from "../src/api/tournaments";
import { sharedBracket, sharedStandings } from "../src/tournament/shared";

const rows = [
  { entry: 1, name: "Ann", shown_as: "everyone" },
  { entry: 2, name: "Bob", shown_as: "members" },
  { entry: 3, name: "Cid", shown_as: "anonymous" },
  { entry: null, name: null, shown_as: null },
];
const names = (of: readonly { name: string | null }[]) => of.map(({ name }) => name);

test("a screen or a sheet for others names no anonymous entrant", () => {
  const standings = sharedStandings({ standings: rows } as unknown as Standings);
  expect(names(standings.standings)).toEqual(["Ann", "Bob", null, null]);
  const bracket = sharedBracket({ matches: [{ slots: rows }] } as unknown as Bracket);
  expect(names(bracket.matches.flatMap(({ slots }) => slots))).toEqual(["Ann", "Bob", null, null]);
  expect(rows[2]?.name).toBe("Cid");
});
