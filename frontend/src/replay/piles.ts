/** A pile with its cards, named by its path in the document. */
export interface Pile {
  path: readonly (string | number)[];
  cards: readonly string[];
}

const CARD = /^(?:[A2-9TJQK][CDHS]|X[12])(?:\.\w+)?$/;
const isCard = (value: unknown): value is string => typeof value === "string" && CARD.test(value);

/** All piles of a document of cards in document order, without empty ones. */
export function pilesOf(document: unknown, path: Pile["path"] = []): Pile[] {
  if (isCard(document)) return [{ path, cards: [document] }];
  if (Array.isArray(document)) {
    if (document.length > 0 && document.every(isCard)) return [{ path, cards: document }];
    return document.flatMap((item, index) => pilesOf(item, [...path, index + 1]));
  }
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, item]) => pilesOf(item, [...path, key]));
}

/** Which cards of a pile are not on the same pile on the other side of an event. */
export function moved(cards: readonly string[], elsewhere: readonly string[]): boolean[] {
  const left = new Map<string, number>();
  for (const card of elsewhere) left.set(card, (left.get(card) ?? 0) + 1);
  return cards.map((card) => {
    const count = left.get(card) ?? 0;
    left.set(card, count - 1);
    return count <= 0;
  });
}
