import type { Schemas, Source } from "@racecard/client";

export type WaitingGame = Schemas["WaitingGameOutput"];
export type Challenge = Schemas["ChallengeOutput"];

/** What waits for a reader, as much of it as the pages show. */
export interface Waiting {
  games: readonly WaitingGame[];
  challenges: readonly Challenge[];
  /** The number of unread notifications. */
  unread: number;
}
type Listener = (waiting: Waiting) => void;

const CLOSED = 2;
const ADDRESS = "/api/v1/players/me/waiting/";
/** Milliseconds until a stream that the server has refused is tried again. */
const AGAIN = 30_000;

/** As much of an EventSource as is used here. */
type Stream = Pick<Source, "readyState" | "onerror" | "close"> & {
  addEventListener(name: string, listener: (message: { data: string }) => void): void;
};

/** What waits for the reader, by one stream for all pages of a browser. */
export class WaitingHub {
  readonly #open: (address: string) => Stream;
  readonly #pages = new Map<object, Listener>();
  #known: Waiting | undefined;
  #reader = "";
  #source: Stream | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(open: (address: string) => Stream) {
    this.#open = open;
  }

  /** `reader` is who is signed in; another reader than before gets a stream of their own. */
  follow(page: object, reader: string, tell: Listener): void {
    if (reader !== this.#reader) this.#close();
    this.#reader = reader;
    this.#pages.set(page, tell);
    if (this.#known) tell(this.#known);
    if (!this.#source) this.#connect();
  }

  leave(page: object): void {
    this.#pages.delete(page);
    if (this.#pages.size === 0) this.#close();
  }

  #close(): void {
    clearTimeout(this.#again);
    this.#source?.close();
    this.#source = this.#known = undefined;
  }

  #connect(): void {
    clearTimeout(this.#again);
    const source = this.#open(ADDRESS);
    this.#source = source;
    source.addEventListener("waiting", ({ data }) => this.#take(undefined, JSON.parse(data) as Changes));
    source.addEventListener("changed", ({ data }) => this.#take(this.#known, JSON.parse(data) as Changes));
    const gone = () => {
      source.close();
      if (source !== this.#source) return;
      this.#known = undefined; // the next reader may be another
      this.#again = setTimeout(() => this.#connect(), AGAIN);
    };
    source.addEventListener("closed", gone);
    source.onerror = () => source.readyState === CLOSED && gone();
  }

  #take(before: Waiting | undefined, { games, challenges, unread, gone = [] }: Changes): void {
    const known = { games: merged(before?.games, games, gone), challenges: merged(before?.challenges, challenges, gone), unread };
    this.#known = known;
    for (const tell of this.#pages.values()) tell(known);
  }
}

function merged<T extends { key: string }>(before: readonly T[] = [], changed: readonly T[], gone: readonly string[]): T[] {
  const items = new Map([...before, ...changed].map((one) => [one.key, one]));
  for (const key of gone) items.delete(key);
  return [...items.values()];
}

interface Changes extends Waiting {
  gone?: string[];
}
