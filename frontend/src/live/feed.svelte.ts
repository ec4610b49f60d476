import { fromFault, type Problem } from "@racecard/client";
import { START, step, wait, type Connection, type Link, type Signal } from "./connection";

const EVERY = 3000;

export type Load<T> = (signal: AbortSignal) => Promise<T>;

/** Something the page shows: its last good value, and what went wrong since. */
export class Watch<T> {
  value = $state.raw<T>();
  problem = $state.raw<Problem>();
  readonly #load: Load<T>;

  /** `again` loads all that the page shows, after a failure. */
  constructor(
    load: Load<T>,
    readonly again: () => Promise<void>,
  ) {
    this.#load = load;
  }

  /** Load once. The last good value stays when this fails; an aborted load changes nothing. */
  async refresh(signal: AbortSignal): Promise<Signal | null> {
    try {
      const value = await this.#load(signal);
      if (signal.aborted) return null;
      this.value = value;
      this.problem = undefined;
      return "answered";
    } catch (fault) {
      if (signal.aborted) return null;
      this.problem = fromFault(fault);
      return this.problem.isConnection ? "failed" : "answered";
    }
  }
}

/**
 * The feed of a page: updates all watched values and tracks the state of the connection.
 * Hidden pages rest; coming back, to the page or to the network, refreshes at once.
 */
export class Feed {
  #link = $state.raw<Link>(START);
  #isIdle = $state(false);
  readonly #watches = new Set<Watch<unknown>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round: AbortController | undefined;
  #running = false;
  #losses = 0;

  constructor(readonly every: number = EVERY) {}

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Whether the page shows nothing that is kept fresh, so that its connection is not known. */
  get isIdle(): boolean {
    return this.#isIdle && this.connection === "connecting";
  }

  /** How often the browser has lost its network. A response to a request that was sent before does not count. */
  get losses(): number {
    return this.#losses;
  }

  /** Keep `load` fresh until `drop`. */
  watch<T>(load: Load<T>): Watch<T> {
    const watch = new Watch(load, () => this.refresh());
    this.#watches.add(watch as Watch<unknown>);
    if (this.#running) void this.refresh();
    return watch;
  }

  drop(watch: Watch<never> | Watch<unknown>): void {
    this.#watches.delete(watch as Watch<unknown>);
  }

  /** Load everything now. A round that is still running is aborted, so that responses never overtake each other. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#round?.abort();
    const round = new AbortController();
    this.#round = round;
    const { losses } = this;
    if (this.#watches.size > 0) this.#isIdle = false;
    const signals = await Promise.all([...this.#watches].map((watch) => watch.refresh(round.signal)));
    if (round.signal.aborted || !this.#running) return;
    this.#isIdle = signals.length === 0;
    if (signals.includes("failed")) this.report("failed");
    else if (signals.length > 0) this.report("answered", losses);
    this.#timer = setTimeout(() => void this.#tick(), wait(this.#link, this.every, Math.random()));
  }

  /** Report the result of a request; `losses` is the count at the time when it was sent. */
  report(signal: Signal, losses = this.#losses): void {
    if (losses === this.#losses) this.#take(signal);
  }

  start(page: Document, network: Window): () => void {
    this.#running = true;
    const onVisible = () => page.visibilityState === "visible" && void this.refresh();
    const onOnline = () => {
      this.#take("went-online");
      void this.refresh();
    };
    const onOffline = () => {
      this.#losses += 1;
      this.#take("went-offline");
    };
    page.addEventListener("visibilitychange", onVisible);
    network.addEventListener("online", onOnline);
    network.addEventListener("offline", onOffline);
    this.#hidden = () => page.visibilityState === "hidden";
    void this.refresh();
    return () => {
      this.#running = false;
      clearTimeout(this.#timer);
      this.#round?.abort();
      page.removeEventListener("visibilitychange", onVisible);
      network.removeEventListener("online", onOnline);
      network.removeEventListener("offline", onOffline);
    };
  }

  #hidden = () => false;

  async #tick(): Promise<void> {
    if (!this.#hidden()) await this.refresh();
  }

  #take(signal: Signal): void {
    this.#link = step(this.#link, signal);
  }
}

/** The feed of this page, which watches all values that it shows. */
export const feed = new Feed();
