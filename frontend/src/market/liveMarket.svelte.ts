import { site } from "../api/site";
import { ownBets, type Bet, type Market } from "../api/markets";
import { coalesced } from "../live/coalesce";
import { type Watch, feed } from "../live/feed.svelte";

export interface Shown<M extends Market> {
  market: M;
  /** The user's bets; null without a session. */
  bets: Bet[] | null;
}

/** A market with the user's bets, updated by the page's feed and reloaded after each bet. */
export class LiveMarket<M extends Market> {
  readonly #watch: Watch<Shown<M>>;
  #latest: Shown<M> | undefined;
  readonly refresh: () => Promise<void>;

  constructor(load: (signal: AbortSignal) => Promise<M>) {
    this.#watch = feed.watch(async (signal) => {
      const market = await load(signal);
      const bets = site.hasAccount ? await ownBets(market.id, signal) : null;
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
