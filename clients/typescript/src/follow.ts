import { fromAnswer, fromFault, textOf, type Problem, type ProblemDocument } from "./problem.js";
import { unwrap, type Api } from "./requests.js";
import { backoff, pause } from "./retry.js";
import type { Game, GameEvent } from "./types.js";

/** The server sends a heartbeat every 14 s; a stream that is silent for so many milliseconds is taken as lost. */
const SILENCE = 30_000;

/** What a followed game yields: its state where events may be missing, and each event that continues from there. */
export type Followed = { kind: "snapshot"; game: Game } | { kind: "event"; event: GameEvent };

export interface FollowOptions {
  /** The version that is known already; without it the first snapshot comes first. */
  after?: number;
  /** The invitation to a private game. */
  invite?: string;
  signal?: AbortSignal;
  /** Milliseconds without any byte after which the stream is opened again. */
  silence?: number;
}

/**
 * Follow a game by fetch, with whatever authentication `api` has: an EventSource cannot send a token. The stream
 * resumes after a lost connection where it ended, and ends with the game. Where an event is missing, and when the game
 * was suspended or resumed, the current state is loaded and yielded. Throws the Problem if the server refuses or closes
 * the stream.
 */
export async function* follow(api: Api, game_id: string, options: FollowOptions = {}): AsyncGenerator<Followed> {
  const { invite, signal, silence = SILENCE } = options;
  const query = invite ? { invite } : {};
  let version = options.after ?? -1;
  const snapshot = async (): Promise<Followed & { kind: "snapshot" }> => {
    const params = { path: { game_id }, query };
    const game = unwrap(await api.GET("/api/v1/games/{game_id}/", { params, signal: signal ?? null })) as Game;
    version = game.version;
    return { kind: "snapshot", game };
  };

  if (version < 0) {
    const first = await snapshot();
    yield first;
    if (isOver(first.game)) return;
  }
  for (let failures = 0; !signal?.aborted; ) {
    const cut = new AbortController();
    const stop = () => cut.abort();
    signal?.addEventListener("abort", stop);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, silence);
    };
    try {
      heard();
      const answer = await api.GET("/api/v1/games/{game_id}/events/", {
        params: { path: { game_id }, query: { ...query, after: version } },
        headers: { Accept: "text/event-stream", "Last-Event-ID": String(version) },
        signal: cut.signal,
        parseAs: "stream",
        fetch: (request) => fetch(request),
      });
      const body = unwrap(answer) as unknown as ReadableStream<Uint8Array>;
      for await (const { name, data } of messages(body, heard)) {
        failures = 0;
        if (name === "closed") throw closed(data);
        const event = name === "message" ? (JSON.parse(data) as GameEvent) : null;
        if (event && event.version <= version) continue;
        if (event && event.version === version + 1) {
          version = event.version;
          yield { kind: "event", event };
          if (event.type === "finished" || event.type === "voided") return;
        } else {
          const now = await snapshot();
          yield now;
          if (isOver(now.game)) return;
        }
      }
    } catch (fault) {
      if (signal?.aborted) return;
      const problem = fromFault(fault);
      if (!problem.isConnection && problem.status !== 429) throw problem;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      cut.abort();
    }
    failures += 1;
    await pause(backoff(failures, Math.random()));
  }
}

const isOver = ({ status }: Game): boolean => status === "finished" || status === "void";

/** The reason in the last message of a stream that the server closes for good. */
function closed(data: string): Problem {
  const document = JSON.parse(data) as ProblemDocument;
  return fromAnswer(Number(document["status"]), document, textOf(document, "request_id"));
}

/** The messages of an event stream (server-sent events). `heard` is called for every chunk, also for heartbeats. */
export async function* messages(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<{ name: string; data: string }> {
  const decoder = new TextDecoder();
  let text = "";
  let name = "message";
  let data: string[] = [];
  const reader = body.getReader(); // Safari cannot iterate over a stream.
  for (;;) {
    const { done, value: chunk } = await reader.read();
    if (done) return;
    heard();
    const lines = (text + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { name, data: data.join("\n") };
        name = "message";
        data = [];
        continue;
      }
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event") name = value;
    }
  }
}
