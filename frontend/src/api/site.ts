import { api, unwrap } from "./client";
import { readable } from "../i18n/format";
import type { components } from "./schema";

export type GameLine = components["schemas"]["GameLineOutput"];
export type TournamentLine = components["schemas"]["TournamentLine"];
export type Tournament = components["schemas"]["TournamentOutput"];
export type Standings = components["schemas"]["StandingsOutput"];

export interface Page<T> {
  results: T[];
  hasMore: boolean;
}

export async function tournaments(signal: AbortSignal): Promise<Page<TournamentLine>> {
  const query = { limit: 20 } as const;
  const page = unwrap(await api.GET("/api/v1/tournaments/", { params: { query }, signal }));
  return { results: page.results, hasMore: page.next !== null };
}

export async function tournament(
  id: string,
  signal: AbortSignal,
): Promise<{ terms: Tournament; standings: Standings }> {
  const path = { tournament_id: id };
  const [terms, standings] = await Promise.all([
    api.GET("/api/v1/tournaments/{tournament_id}/", { params: { path }, signal }),
    api.GET("/api/v1/tournaments/{tournament_id}/standings/", { params: { path }, signal }),
  ]);
  return { terms: unwrap(terms), standings: unwrap(standings) };
}

/** A game of the installation; `players` is the number of seats of its largest table. */
export interface GameName {
  slug: string;
  name: string;
  players: number;
}

/** Data that the server wrote into the document for this user. */
export const site = {
  get hasSession(): boolean {
    return document.documentElement.dataset["session"] === "open";
  },
  get currency(): string {
    return document.documentElement.dataset["currency"] || "XTS";
  },
  /** Every game of the installation, those for one player first. */
  get games(): readonly GameName[] {
    const games = JSON.parse(document.documentElement.dataset["games"] || "[]") as GameName[];
    return games.sort((one, other) => one.players - other.players);
  },
  /** The name of a game, also of one that the installation no longer has. */
  gameName(slug: string): string {
    return this.games.find((game) => game.slug === slug)?.name ?? readable(slug);
  },
};
