import { fromFault, type Problem } from "@racecard/client";

/** A request that the user starts. Runs one at a time; the problem of a refusal stays until the next one. */
export class Action {
  busy = $state(false);
  /** Among several actions of a page: the one that was done or refused last. */
  #at = $state("");
  #problem = $state.raw<Problem>();
  #isDone = $state(false);
  readonly #after: () => Promise<unknown>;

  /** `after` updates the page after each action, whether it succeeded or not, before the next one may start. */
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

  refused(at = ""): Problem | undefined {
    return this.#at === at ? this.#problem : undefined;
  }

  done(at = ""): boolean {
    return this.#isDone && this.#at === at;
  }

  forget(): void {
    this.#problem = undefined;
    this.#isDone = false;
  }
}
