import { RANKS, SUITS } from "../cards/card";

/** RULEBOOK 1: the canonical pack without jokers. */
export const PACK: readonly string[] = SUITS.flatMap((suit) => [...RANKS].map((rank) => rank + suit));

/** The cards of one of several packs. */
export const packOf = (pack: string): string[] => PACK.map((card) => `${card}.${pack}`);
