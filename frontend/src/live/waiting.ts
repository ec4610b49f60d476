import type { Schemas, Source } from "@racecard/client";

export type WaitingGame = Schemas["WaitingGameOutput"];
type Listener = (games: readonly WaitingGame[]) => void;

const CLOSED = 2;
const ADDRESS = "/api/v1/players/me/waiting/";
/** Milliseconds until a stream that the server has refused is tried again. */
const AGAIN = 30_000;

/** As much of an EventSource as is used here. */
type Stream = Pick<Source, "readyState" | "onerror" | "close"> & {
  addEventListener(name: string, listener: (message: { data: string }) => void): void;
};

/** The games that wait for the reader, by one stream for all pages of a browser. */
export class WaitingHub {
  readonly #open: (address: string) => Stream;
  readonly #pages = new Map<object, Listener>();
  #games = new Map<string, WaitingGame>();
  #isKnown = false;
  #source: Stream | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(open: (address: string) => Stream) {
    this.#open = open;
  }

  follow(page: object, tell: Listener): void {
    this.#pages.set(page, tell);
    if (this.#isKnown) tell([...this.#games.values()]);
    if (!this.#source) this.#connect();
  }

  leave(page: object): void {
    this.#pages.delete(page);
    if (this.#pages.size > 0) return;
    clearTimeout(this.#again);
    this.#source?.close();
    this.#source = undefined;
    this.#isKnown = false;
  }

  #connect(): void {
    clearTimeout(this.#again);
    const source = this.#open(ADDRESS);
    this.#source = source;
    source.addEventListener("waiting", ({ data }) => this.#take(new Map(), JSON.parse(data) as Changes));
    source.addEventListener("changed", ({ data }) => this.#take(this.#games, JSON.parse(data) as Changes));
    const gone = () => {
      source.close();
      if (source !== this.#source) return;
      this.#isKnown = false; // the next reader may be another
      this.#games.clear();
      this.#again = setTimeout(() => this.#connect(), AGAIN);
    };
    source.addEventListener("closed", gone);
    source.onerror = () => source.readyState === CLOSED && gone();
  }

  #take(before: ReadonlyMap<string, WaitingGame>, { games, gone = [] }: Changes): void {
    this.#games = new Map(before);
    for (const key of gone) this.#games.delete(key);
    for (const game of games) this.#games.set(game.key, game);
    this.#isKnown = true;
    for (const tell of this.#pages.values()) tell([...this.#games.values()]);
  }
}

interface Changes {
  games: WaitingGame[];
  gone?: string[];
}
