import { fromFault, type Problem } from "../api/problem";
import type { Slice } from "../api/pagination";

/**
 * A long list, loaded one page at a time. An answer that arrives after a newer request, such as one with other filters, is
 * dropped; and however often more is asked for while a page is on its way, it comes once.
 */
export class Paged<Row, Page extends Slice<Row> = Slice<Row>> {
  /** The first page, with its rows and the server's data about the whole list. */
  first = $state.raw<Page>();
  rows = $state.raw<readonly Row[]>([]);
  problem = $state.raw<Problem>();
  busy = $state(false);
  #next = $state<string | null>(null);
  readonly #ask: (cursor: string | null) => Promise<Page>;
  #round = 0;
  #wanted: "first" | "more" = "first";

  constructor(ask: (cursor: string | null) => Promise<Page>) {
    this.#ask = ask;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** From the beginning; what is shown stays until the answer is there. */
  load(): Promise<void> {
    return this.#load("first", null, (page) => {
      this.first = page;
      this.rows = page.results;
    });
  }

  async more(): Promise<void> {
    if (this.busy || !this.hasMore) return;
    await this.#load("more", this.#next, (page) => (this.rows = [...this.rows, ...page.results]));
  }

  /** What failed last, once more. */
  again(): Promise<void> {
    return this.#wanted === "more" ? this.more() : this.load();
  }

  async #load(wanted: "first" | "more", cursor: string | null, take: (page: Page) => void): Promise<void> {
    const round = ++this.#round;
    this.#wanted = wanted;
    this.busy = true;
    try {
      const page = await this.#ask(cursor);
      if (round !== this.#round) return;
      take(page);
      this.#next = page.next;
      this.problem = undefined;
    } catch (fault) {
      if (round === this.#round) this.problem = fromFault(fault);
    } finally {
      if (round === this.#round) this.busy = false;
    }
  }
}
