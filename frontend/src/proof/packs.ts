const SUITS = "CDHS";
const RANKS = "A23456789TJQK";

/** RULEBOOK 1: the canonical pack without jokers. */
export const PACK: readonly string[] = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));

const from = (pack: string) => PACK.map((card) => `${card}.${pack}`);

/** The packs of each game before they are shuffled, by the label of their shuffle; null of a game that is not known here. */
export function packs(rules: string, seats: number): Record<string, readonly string[]> | null {
  switch (rules) {
    case "vegas-solitaire":
      return { deck: PACK };
    case "racing-aces":
      return { deck: PACK.filter((card) => !card.startsWith("A")) };
    case "ace-race":
      return { deck: [...PACK, "X1", "X2"] };
    case "idle-aces":
      // The twos and Kings of the first pack lie on the table already, as the feet of the eight piles.
      return { deck: [...from("a").filter((card) => !/^[2K]/.test(card)), ...from("b")] };
    case "racing-demons":
      return Object.fromEntries(Array.from({ length: seats }, (_, seat) => [`deck|${seat}`, from(String(seat))]));
    default:
      return null;
  }
}
