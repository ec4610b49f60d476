import { house } from "../api/house";
import { ownBets, type Bet, type Market } from "../api/markets";
import { feed } from "../live/page";
import type { Watch } from "../live/feed.svelte";

export interface Shown<M extends Market> {
  market: M;
  /** The reader's own; null for who is not signed in. */
  bets: Bet[] | null;
}

/** A market with the reader's bets in it, kept fresh by the page's feed and loaded at once after a bet. */
export class FreshMarket<M extends Market> {
  readonly #watch: Watch<Shown<M>>;
  #latest: Shown<M> | undefined;
  #loading = false;
  #again = false;

  constructor(load: (signal: AbortSignal) => Promise<M>) {
    this.#watch = feed.watch(async (signal) => {
      const market = await load(signal);
      const bets = house.hasSession ? await ownBets(market.id, signal) : null;
      // Answers may overtake each other: an older one never replaces a newer.
      if (!this.#latest || market.version >= this.#latest.market.version) this.#latest = { market, bets };
      return this.#latest;
    });
  }

  get shown(): Shown<M> | undefined {
    return this.#watch.value;
  }

  /** Calls that come while one is under way make one more. */
  async refresh(): Promise<void> {
    this.#again = this.#loading;
    if (this.#loading) return;
    this.#loading = true;
    do {
      this.#again = false;
      await this.#watch.refresh(NEVER);
    } while (this.#again);
    this.#loading = false;
  }

  drop(): void {
    feed.drop(this.#watch);
  }
}

const NEVER = new AbortController().signal;
