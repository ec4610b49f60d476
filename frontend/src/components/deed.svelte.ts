import { fromFault, type Problem } from "../api/problem";

/** Something that a page does for the reader: one at a time, and what it was refused with stays until the next. */
export class Deed {
  busy = $state(false);
  /** Of several deeds of a page: the one that was done last, or was refused last. */
  #at = $state("");
  #problem = $state.raw<Problem>();
  #isDone = $state(false);
  readonly #after: () => Promise<unknown>;

  /** `after` brings what is shown up to date, however a deed went, before the next may be done. */
  constructor(after: () => Promise<unknown> = () => Promise.resolve()) {
    this.#after = after;
  }

  async do(what: () => Promise<unknown>, at = ""): Promise<void> {
    if (this.busy) return;
    this.forget();
    this.busy = true;
    this.#at = at;
    try {
      await what();
      this.#isDone = true;
    } catch (fault) {
      this.#problem = fromFault(fault);
    }
    try {
      await this.#after();
    } finally {
      this.busy = false;
    }
  }

  /** Why it was refused. */
  refused(at = ""): Problem | undefined {
    return this.#at === at ? this.#problem : undefined;
  }

  done(at = ""): boolean {
    return this.#isDone && this.#at === at;
  }

  /** What was said of the last deed is said no longer. */
  forget(): void {
    this.#problem = undefined;
    this.#isDone = false;
  }
}
