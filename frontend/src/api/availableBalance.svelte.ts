import { type Schemas, unwrap } from "@racecard/client";
import { coalesced } from "../live/coalesce";
import { site } from "./site";
import { api, onChange } from "./client";

export type Wallet = Schemas["WalletOutput"];

export async function wallet(currency = ""): Promise<Wallet> {
  const query = currency ? { currency } : {};
  return unwrap(await api.GET("/api/v1/wallet/", { params: { query } }));
}

/** What the player can stake: the play session is a part of the balance that the server keeps apart. */
export const spendable = ({ accounts }: Wallet): number =>
  (accounts["cash"]?.available ?? 0) + (accounts["session"]?.available ?? 0);

/** The user's available balance, the same in the header of each page and tab. */
class AvailableBalance {
  available = $state<number>();
  #tabs: BroadcastChannel | undefined;
  #round = 0;

  /** Called when money may have moved. Does nothing without an account. */
  async refresh(): Promise<void> {
    if (!site.hasAccount) return;
    const round = ++this.#round;
    try {
      const found = spendable(await wallet());
      if (round !== this.#round) return;
      this.available = found;
      this.#tabs?.postMessage(this.available);
    } catch {
      // The old value stays until the next call. A page that depends on the balance loads it itself.
    }
  }

  /** Follow what this page changes, and what other tabs have read. */
  start(): () => void {
    const again = coalesced(() => this.refresh());
    const look = () => void again();
    const stop = onChange(look);
    addEventListener("focus", look);
    if (typeof BroadcastChannel !== "undefined") {
      this.#tabs = new BroadcastChannel("racecard.balance");
      this.#tabs.onmessage = ({ data }: MessageEvent<number>) => (this.available = data);
    }
    return () => {
      stop();
      removeEventListener("focus", look);
      this.#tabs?.close();
      this.#tabs = undefined;
    };
  }
}

export const availableBalance = new AvailableBalance();
