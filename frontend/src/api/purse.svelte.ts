import { house } from "./house";
import { api, unwrap } from "./client";
import type { components } from "./schema";

export type Wallet = components["schemas"]["WalletOutput"];

export async function wallet(currency = ""): Promise<Wallet> {
  const query = currency ? { currency } : {};
  return unwrap(await api.GET("/api/v1/wallet/", { params: { query } }));
}

/** What the reader has available, for the header of every page. */
class Purse {
  available = $state<number>();

  /** Called where money may have moved; without a session there is nothing to ask. */
  async refresh(): Promise<void> {
    if (!house.hasSession) return;
    try {
      this.available = (await wallet()).accounts["cash"]?.available;
    } catch {
      // What is shown stays until the next time; a page that needs the figure asks for it itself.
    }
  }
}

export const purse = new Purse();
