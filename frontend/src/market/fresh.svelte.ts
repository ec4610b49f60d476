import { house } from "../api/house";
import { ownBets, type Bet, type Market } from "../api/markets";
import { coalesced } from "../live/coalesce";
import type { Watch } from "../live/feed.svelte";
import { feed } from "../live/page";

export interface Shown<M extends Market> {
  market: M;
  /** The reader's own; null for who is not signed in. */
  bets: Bet[] | null;
}

/** A market with the reader's bets in it, kept fresh by the page's feed and loaded at once after a bet. */
export class FreshMarket<M extends Market> {
  readonly #watch: Watch<Shown<M>>;
  #latest: Shown<M> | undefined;
  /** At once. */
  readonly refresh: () => Promise<void>;

  constructor(load: (signal: AbortSignal) => Promise<M>) {
    this.#watch = feed.watch(async (signal) => {
      const market = await load(signal);
      const bets = house.hasSession ? await ownBets(market.id, signal) : null;
      // Answers may overtake each other: an older one never replaces a newer.
      if (!this.#latest || market.version >= this.#latest.market.version) this.#latest = { market, bets };
      return this.#latest;
    });
    this.refresh = coalesced(async () => void (await this.#watch.refresh(NEVER)));
  }

  get shown(): Shown<M> | undefined {
    return this.#watch.value;
  }

  drop(): void {
    feed.drop(this.#watch);
  }
}

const NEVER = new AbortController().signal;
