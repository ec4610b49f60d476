import { once, type Schemas, unwrap } from "@racecard/client";
import { api } from "./client";
import type { Game } from "./play";

export type Match = Schemas["MatchOutput"];

/** The table at which the players of a finished game play again, with the caller seated, who pays `buyIn` there. */
export async function rematch(game_id: string, buyIn: number | null): Promise<Game> {
  const params = { path: { game_id }, header: once() };
  return unwrap(await api.POST("/api/v1/games/{game_id}/rematch/", { params, body: { buy_in: buyIn } })) as Game;
}

export async function match(match_id: string, invite: string, signal: AbortSignal): Promise<Match> {
  const params = { path: { match_id }, query: invite ? { invite } : {} };
  return unwrap(await api.GET("/api/v1/matches/{match_id}/", { params, signal }));
}
