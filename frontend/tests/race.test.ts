import { beforeAll, describe, expect, it } from "vitest";
import type { Game, GameEvent } from "../src/api/play";
import { finish, players, shares, winnersText } from "../src/games/racing-aces/outcome";
import { loadDetails } from "../src/games/registry";
import { i18n } from "../src/i18n/i18n.svelte";
import { sentence } from "../src/replay/texts";

const NAMES = ["Ann", "Bob", "Cid"];

function ended(winner: string | null, suits: string | null, more: Partial<Game> = {}): Game {
  const outcome = suits
    ? { winner, suits: [...suits], winners: [...suits].flatMap((suit, seat) => (suit === winner ? [seat] : [])) }
    : { winner };
  const seats = NAMES.map((name, seat) => ({ seat, name, player: name, kind: "human", bot: null, suit: suits?.[seat] ?? null }));
  return { rules: "racing-aces", outcome, seats, seat: null, tournament: null, pot: null, ...more } as unknown as Game;
}

const pot = (status: string, paid: number[]) =>
  ({ status, currency: "GBP", paid: paid.map((amount, seat) => ({ seat, amount })) }) as unknown as Game["pot"];

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["players", "cards", "table", "replay"]);
  await loadDetails("racing-aces");
});

describe("the winners of a race", () => {
  it.each([
    ["H", "HCS", null, "Ann wins with hearts."],
    ["H", "HHS", null, "Ann and Bob win with hearts."],
    ["H", "HHS", 1, "You and Ann win with hearts."],
    ["H", "HHS", 2, "Ann and Bob win with hearts."],
    ["S", "HHS", 2, "You win with spades."],
    ["D", "HHS", 0, "The ace of diamonds wins. No player had that suit."],
  ])("of %s among %s, as seat %s reads it", (winner, suits, seat, text) =>
    expect(winnersText(ended(winner, suits, { seat }))).toBe(text),
  );

  it("are not named where no suit has won, or seats have none", () => {
    expect(winnersText(ended(null, "HCS"))).toBe("");
    expect(winnersText(ended("H", null))).toBe("");
  });

  it("are named by the replay, and so are the suits of those who sit down", () => {
    const event = (type: string, data: object) => ({ type, seat: null, data }) as unknown as GameEvent;
    const game = ended("H", "HHS");
    expect(sentence(game, event("seated", { seat: 2, suit: "S" }))).toBe("Cid sat down: spades");
    expect(sentence(game, event("finished", {}))).toBe("Game over: Ann and Bob win with hearts");
  });

  it("share the pot", () => {
    expect(shares(ended("H", "HHS", { pot: pot("settled", [152, 151, 0]) }))).toEqual([
      "Ann: £1.52 from the pot.",
      "Bob: £1.51 from the pot.",
    ]);
    expect(shares(ended("D", "HHS", { pot: pot("void", [101, 101, 101]) }))).toEqual(["All stakes were refunded."]);
    expect(shares(ended("H", "HHS"))).toEqual([]);
  });

  it("are named in German", async () => {
    await i18n.use("de");
    await i18n.need(["players", "cards"]);
    const named = [null, 0, 2].map((seat) => winnersText(ended("H", "HHS", { seat })));
    expect(named).toEqual([
      "Ann und Bob gewinnen mit Herz.",
      "Du und Bob gewinnt mit Herz.",
      "Ann und Bob gewinnen mit Herz.",
    ]);
    await i18n.use("en");
  });
});

describe("the finish", () => {
  const photo = (winner: string | null, rows: Record<string, number>) =>
    finish(ended(winner, null, { outcome: { winner, rows }, config: { finish_line: 10 } } as unknown as Partial<Game>));

  it("has the suits in the order in which they finished", () => {
    expect(photo("D", { C: 7, D: 10, H: 9, S: 4 }).map(({ suit, behind, hasWon }) => [suit, behind, hasWon])).toEqual([
      ["D", 0, true],
      ["H", 1, false],
      ["C", 3, false],
      ["S", 6, false],
    ]);
  });

  it("has the winner first, also before a row that was completed later or is longer", () => {
    expect(photo("S", { C: 11, D: 5, H: 10, S: 10 }).map(({ suit, behind }) => [suit, behind])).toEqual([
      ["S", 0],
      ["C", 0],
      ["H", 0],
      ["D", 5],
    ]);
  });

  it("has no winner where no suit reached the line", () => {
    expect(photo(null, { C: 7, D: 6, H: 9, S: 4 }).map(({ suit, hasWon }) => [suit, hasWon])).toEqual([
      ["H", false],
      ["C", false],
      ["D", false],
      ["S", false],
    ]);
  });
});

describe("the players of a suit", () => {
  it("are named, the reader first", () => {
    const name = (seat: number) => NAMES[seat] ?? "";
    const game = ended("H", "HHS", { seat: 1 });
    expect(players(game, ["H", "H", "S"], "H", name)).toBe("Bob and Ann");
    expect(players(game, ["H", null, "S"], "D", name)).toBe("");
  });
});
