import { fromFault, type Problem, type Slice } from "@racecard/client";

/** A value that is loaded once and again on demand. If loading fails, the last good value stays. */
export class Loaded<T> {
  value = $state.raw<T>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  readonly #ask: () => Promise<T>;
  #round = 0;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  load(): Promise<void> {
    return this.run(this.#ask, (value) => (this.value = value));
  }

  /** What failed last, once more. */
  again(): Promise<void> {
    return this.load();
  }

  /** Of overlapping calls the last one counts, so an answer that arrives after a newer request is dropped. */
  protected async run<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void> {
    const round = ++this.#round;
    this.busy = true;
    try {
      const answer = await ask();
      if (round !== this.#round) return;
      take(answer);
      this.problem = undefined;
    } catch (fault) {
      if (round === this.#round) this.problem = fromFault(fault);
    } finally {
      if (round === this.#round) this.busy = false;
    }
  }
}

/** Milliseconds for which the reader stays at something before what belongs to it is loaded. */
const RESTS = 250;

/** Load once the reader rests; for an effect, which clears it when the reader continues. */
export function atRest(load: () => Promise<void>): () => void {
  const asking = setTimeout(() => void load(), RESTS);
  return () => clearTimeout(asking);
}

/** A long list, loaded one page at a time. Its value is the first page, with the server's data about the whole list. */
export class Paged<Row, Page extends Slice<Row> = Slice<Row>> extends Loaded<Page> {
  rows = $state.raw<readonly Row[]>([]);
  #next = $state<string | null>(null);
  #wantsMore = false;
  readonly #page: (cursor: string | null) => Promise<Page>;

  constructor(page: (cursor: string | null) => Promise<Page>) {
    super(() => page(null));
    this.#page = page;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** From the beginning; what is shown stays until the answer is there. */
  override load(): Promise<void> {
    this.#wantsMore = false;
    return this.run(() => this.#page(null), (page) => {
      this.value = page;
      this.rows = page.results;
      this.#next = page.next;
    });
  }

  /** The next page, once however often it is asked for while it is on its way. */
  async more(): Promise<void> {
    if (this.busy || !this.hasMore) return;
    this.#wantsMore = true;
    await this.run(() => this.#page(this.#next), (page) => {
      this.rows = [...this.rows, ...page.results];
      this.#next = page.next;
    });
  }

  override again(): Promise<void> {
    return this.#wantsMore ? this.more() : this.load();
  }
}
