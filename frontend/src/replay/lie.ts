/** A pile with every card in it, named by the way to it. */
export interface Lie {
  path: readonly (string | number)[];
  cards: readonly string[];
}

const CARD = /^(?:[A2-9TJQK][CDHS]|X[12])(?:\.\w+)?$/;
const isCard = (value: unknown): value is string => typeof value === "string" && CARD.test(value);

/** Every pile of a document of cards, in the order in which they stand there; empty ones are left out. */
export function lies(document: unknown, path: Lie["path"] = []): Lie[] {
  if (isCard(document)) return [{ path, cards: [document] }];
  if (Array.isArray(document)) {
    if (document.length > 0 && document.every(isCard)) return [{ path, cards: document }];
    return document.flatMap((item, index) => lies(item, [...path, index + 1]));
  }
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, item]) => lies(item, [...path, key]));
}
