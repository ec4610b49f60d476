import { i18n } from "../i18n/i18n.svelte";
import { appearance } from "../table/appearance.svelte";

/** The price of a selection or of a bet, or none. */
interface Priced {
  price: string | null;
  decimal: string | null;
}

/** A price as the reader wants it: `3.50`, with the stake, or `5/2`, without it. Empty without a price. */
export function priceText({ price, decimal }: Priced): string {
  if (price === null || decimal === null) return "";
  return appearance.fractions ? price : i18n.price(decimal);
}
