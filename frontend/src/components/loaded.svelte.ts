import { fromFault, type Problem } from "../api/problem";

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

  /** Of overlapping calls the last one counts. */
  async load(): Promise<void> {
    const round = ++this.#round;
    this.busy = true;
    try {
      const value = await this.#ask();
      if (round !== this.#round) return;
      this.value = value;
      this.problem = undefined;
    } catch (fault) {
      if (round === this.#round) this.problem = fromFault(fault);
    } finally {
      if (round === this.#round) this.busy = false;
    }
  }
}
