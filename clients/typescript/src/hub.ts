/** What the event stream follows: `game:{id}` or `tournament:{id}`. */
export type Subject = `${"game" | "tournament"}:${string}`;
export type StreamState = "connecting" | "live" | "reconnecting" | "closed";

export type Heard =
  | { kind: "state"; state: StreamState }
  | { kind: "event"; subject: Subject; version: number; event: unknown }
  /** Changed without an event: a game was suspended or resumed, or a player of it came or left. */
  | { kind: "changed"; subject: Subject };

/** As much of an EventSource as is used here. */
export interface Source {
  readonly readyState: number;
  onopen: (() => void) | null;
  onerror: (() => void) | null;
  onmessage: ((message: { data: string }) => void) | null;
  addEventListener(name: "closed" | "suspension" | "presence", listener: (message: { data: string }) => void): void;
  close(): void;
}

const CLOSED = 2;
const ROOT = "/api/v1/feed/";

/**
 * One event stream for all pages of a browser (six connections to a server are all that HTTP/1.1 gives): each page
 * says what it follows and from which version on, and hears what is new.
 */
export class Hub {
  readonly #open: (address: string) => Source;
  readonly #pages = new Map<object, { tell: (heard: Heard) => void; follows: Map<Subject, number> }>();
  readonly #seen = new Map<Subject, number>();
  #source: Source | null = null;
  #following = "";
  #state: StreamState = "connecting";

  constructor(open: (address: string) => Source) {
    this.#open = open;
  }

  /** Follow exactly these subjects, each from the version that the page has. */
  follow(page: object, tell: (heard: Heard) => void, follows: ReadonlyMap<Subject, number>): void {
    this.#pages.set(page, { tell, follows: new Map(follows) });
    for (const [subject, version] of follows) {
      const seen = this.#seen.get(subject);
      // Another page is ahead of this one, so this one has missed an event and must load.
      if (seen !== undefined && seen > version) tell({ kind: "event", subject, version: seen, event: null });
    }
    this.#connect();
    tell({ kind: "state", state: this.#state });
  }

  leave(page: object): void {
    if (this.#pages.delete(page)) this.#connect();
  }

  #connect(): void {
    const wanted = new Map<Subject, number>();
    for (const { follows } of this.#pages.values()) {
      for (const [subject, version] of follows) {
        wanted.set(subject, Math.max(version, this.#seen.get(subject) ?? 0, wanted.get(subject) ?? 0));
      }
    }
    for (const subject of this.#seen.keys()) if (!wanted.has(subject)) this.#seen.delete(subject);
    const subjects = [...wanted.keys()].sort().join();
    if (subjects === this.#following && this.#source && this.#source.readyState !== CLOSED) return;
    this.#source?.close();
    this.#source = null;
    this.#following = subjects;
    if (wanted.size === 0) return;
    const query = [...wanted].map(([subject, version]) => {
      const [kind, id] = subject.split(":");
      return `${kind}=${id}@${version}`;
    });
    this.#listen(this.#open(`${ROOT}?${query.join("&")}`));
  }

  #listen(source: Source): void {
    this.#source = source;
    this.#become("connecting");
    source.onopen = () => this.#become("live");
    source.onerror = () => this.#become(source.readyState === CLOSED ? "closed" : "reconnecting");
    source.addEventListener("closed", () => {
      source.close();
      this.#become("closed");
    });
    for (const name of ["suspension", "presence"] as const) {
      source.addEventListener(name, ({ data }) => {
        const { game } = JSON.parse(data) as { game: string };
        this.#tellOf(`game:${game}`, { kind: "changed", subject: `game:${game}` });
      });
    }
    source.onmessage = ({ data }) => this.#take(data);
  }

  #take(data: string): void {
    const message = JSON.parse(data) as { game?: string; tournament?: string; event: { version: number } };
    const subject: Subject = message.game ? `game:${message.game}` : `tournament:${message.tournament}`;
    const { version } = message.event;
    this.#seen.set(subject, Math.max(version, this.#seen.get(subject) ?? 0));
    this.#tellOf(subject, { kind: "event", subject, version, event: message.event });
  }

  #tellOf(subject: Subject, heard: Heard): void {
    for (const { tell, follows } of this.#pages.values()) if (follows.has(subject)) tell(heard);
  }

  #become(state: StreamState): void {
    this.#state = state;
    for (const { tell } of this.#pages.values()) tell({ kind: "state", state });
  }
}
