import { unwrap, type Api } from "./requests.js";
import { pause } from "./retry.js";
import { opened, resumed, type Message, type StreamOptions } from "./streams.js";
import type { GameEvent, Schemas } from "./types.js";

const KINDS = ["game", "tournament", "dispute"] as const;
type Kind = (typeof KINDS)[number];

/** What a feed follows, such as `tournament:3f1c2a52-6a0c-4c9e-9a6b-0d4f6a9f7d10`. */
export type FeedSubject = `${Kind}:${string}`;

/** What a feed yields: an event, or that a game was suspended or resumed, which is no event of the game. */
export type Fed =
  | { kind: "event"; subject: FeedSubject; event: GameEvent }
  | { kind: "suspension"; subject: FeedSubject; suspended: boolean };

/**
 * Follow up to 100 games, tournaments, and disputes by one stream, each from after the version that `subjects` gives:
 * from 0 on, an event is yielded for the whole history. No event is missing and none comes twice, also after a lost
 * connection. It does not end by itself. Throws the Problem if the server refuses or closes the stream.
 */
export async function* feed(
  api: Api,
  subjects: Readonly<Record<FeedSubject, number>>,
  options: StreamOptions = {},
): AsyncGenerator<Fed> {
  const versions = new Map(Object.entries(subjects) as [FeedSubject, number][]);
  const fresh = function* (subject: FeedSubject, events: readonly GameEvent[]): Generator<Fed> {
    for (const event of events) {
      if (event.version <= (versions.get(subject) ?? 0)) continue;
      versions.set(subject, event.version);
      yield { kind: "event", subject, event };
    }
  };
  const take = async function* ({ name, data }: Message): AsyncGenerator<Fed> {
    const document = JSON.parse(data) as Record<Kind, string> & { event: GameEvent; suspended: boolean };
    const kind = KINDS.find((one) => one in document);
    if (!kind) return;
    const subject: FeedSubject = `${kind}:${document[kind]}`;
    if (name === "suspension") return yield { kind: "suspension", subject, suspended: document.suspended };
    if (name !== "message") return;
    const { event } = document;
    for (let at = versions.get(subject) ?? 0; at < event.version - 1; ) {
      const missing = (await eventsAfter(api, subject, at)).filter(({ version }) => version < event.version);
      yield* fresh(subject, missing);
      at = missing.at(-1)?.version ?? event.version;
    }
    yield* fresh(subject, [event]);
  };
  const open = (signal: AbortSignal) => {
    const query = new URLSearchParams([...versions].map(([subject, version]) => cursor(subject, version)));
    return opened(api, `/api/v1/feed/?${query}`, signal);
  };
  yield* resumed(open, take, options);
}

/** The query parameter that follows a subject from after a version. */
export function cursor(subject: FeedSubject, version: number): [Kind, string] {
  const [kind, id] = subject.split(":") as [Kind, string];
  return [kind, `${id}@${version}`];
}

/** The next events in the list of a subject. */
async function eventsAfter(api: Api, subject: FeedSubject, after: number): Promise<GameEvent[]> {
  const [kind, id] = subject.split(":");
  const path = `/api/v1/${kind}s/${id}/events/?after=${after}` as "/api/v1/games/{game_id}/events/";
  const page = unwrap(await api.GET(path, {} as never)) as GameEvent[] | { results?: GameEvent[]; events?: GameEvent[] };
  return Array.isArray(page) ? page : (page.results ?? page.events ?? []);
}

export interface ChangesOptions {
  /** `next` of the last page that was dealt with; `now` for what happens from now on. By default from the beginning. */
  after?: string;
  signal?: AbortSignal;
  /** Milliseconds between requests while there is nothing new. */
  every?: number;
}

/**
 * Follow the public events of all games and tournaments: yields each page that has events. Store its `next`, and pass
 * it as `after` to continue after a restart. It does not end by itself.
 */
export async function* changes(api: Api, options: ChangesOptions = {}): AsyncGenerator<Schemas["PublicEventsOutput"]> {
  const { signal, every = 5_000 } = options;
  // The cursor of an address, which a proxy may have changed otherwise.
  const cursorIn = (next: string) => (next.includes("?") ? new URL(next, "http://server").searchParams.get("after") : next);
  for (let after = options.after; !signal?.aborted; ) {
    const query = { limit: 200, ...(after && { after: cursorIn(after) ?? "" }) };
    let page;
    try {
      page = unwrap(await api.GET("/api/v1/changes/", { params: { query }, signal: signal ?? null }));
    } catch (fault) {
      if (signal?.aborted) return;
      throw fault;
    }
    after = page.next;
    if (page.results.length > 0) yield page;
    if (!page.more) await pause(every, signal);
  }
}
