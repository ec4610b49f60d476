import { unwrap, type Api } from "./requests.js";
import { opened, resumed, type Message, type StreamOptions } from "./streams.js";
import type { Game, GameEvent } from "./types.js";

/** What a followed game yields: its state where events may be missing, and each event that continues from there. */
export type Followed = { kind: "snapshot"; game: Game } | { kind: "event"; event: GameEvent };

export interface FollowOptions extends StreamOptions {
  /** The version that is known already; without it the first snapshot comes first. */
  after?: number;
  /** The invitation to a private game. */
  invite?: string;
}

/**
 * Follow a game by fetch, with whatever authentication `api` has: an EventSource cannot send a token. The stream
 * resumes after a lost connection where it ended, and ends with the game. Where an event is missing, and when the game
 * was suspended or resumed, the current state is loaded and yielded. Throws the Problem if the server refuses or closes
 * the stream.
 */
export async function* follow(api: Api, game_id: string, options: FollowOptions = {}): AsyncGenerator<Followed> {
  const query = options.invite ? { invite: options.invite } : {};
  let version = options.after ?? -1;
  const snapshot = async (): Promise<Followed> => {
    const params = { path: { game_id }, query };
    const signal = options.signal ?? null;
    const game = unwrap(await api.GET("/api/v1/games/{game_id}/", { params, signal })) as Game;
    version = game.version;
    return { kind: "snapshot", game };
  };
  const take = async function* ({ name, data }: Message): AsyncGenerator<Followed> {
    const event = name === "message" ? (JSON.parse(data) as GameEvent) : null;
    if (event && event.version <= version) return;
    if (event?.version !== version + 1) return yield await snapshot();
    version = event.version;
    yield { kind: "event", event };
  };
  const open = (signal: AbortSignal) => {
    const given = new URLSearchParams({ ...query, after: String(version) });
    return opened(api, `/api/v1/games/${encodeURIComponent(game_id)}/events/?${given}`, signal);
  };

  if (version < 0) {
    const first = await snapshot();
    yield first;
    if (isLast(first)) return;
  }
  for await (const one of resumed(open, take, options)) {
    yield one;
    if (isLast(one)) return;
  }
}

const isLast = (one: Followed): boolean =>
  one.kind === "event"
    ? one.event.type === "finished" || one.event.type === "voided"
    : one.game.status === "finished" || one.game.status === "void";
