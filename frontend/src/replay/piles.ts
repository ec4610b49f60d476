/** A pile with its cards, named by its path in the document; places in lists count from 0. */
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
    return document.flatMap((item, index) => pilesOf(item, [...path, index]));
  }
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, item]) => pilesOf(item, [...path, key]));
}

/** A pile on both sides of an event. */
export interface Pair {
  path: Pile["path"];
  before: readonly string[];
  after: readonly string[];
  isChanged: boolean;
}

/** The piles of the tables before and after an event, in the order of the latter. */
export function pairsOf(before: unknown, after: unknown): Pair[] {
  const keyed = (document: unknown) => new Map(pilesOf(document).map((pile) => [pile.path.join("/"), pile] as const));
  const [was, is] = [keyed(before), keyed(after)];
  return [...new Map([...is, ...was])].map(([key, { path }]) => {
    const pair = { path, before: was.get(key)?.cards ?? [], after: is.get(key)?.cards ?? [] };
    return { ...pair, isChanged: pair.before.join() !== pair.after.join() };
  });
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
