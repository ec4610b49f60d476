import { type Schemas, unwrap } from "@racecard/client";
import { site } from "./site";
import { api } from "./client";

export type Wallet = Schemas["WalletOutput"];

export async function wallet(currency = ""): Promise<Wallet> {
  const query = currency ? { currency } : {};
  return unwrap(await api.GET("/api/v1/wallet/", { params: { query } }));
}

/** The user's available balance, shown in the header of each page. */
class AvailableBalance {
  available = $state<number>();

  /** Called when money may have moved. Does nothing without an account. */
  async refresh(): Promise<void> {
    if (!site.hasAccount) return;
    try {
      this.available = (await wallet()).accounts["cash"]?.available;
    } catch {
      // The old value stays until the next call. A page that depends on the balance loads it itself.
    }
  }
}

export const availableBalance = new AvailableBalance();
