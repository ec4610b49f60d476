import { Problem } from "@racecard/client";
import { render } from "svelte/server";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { addPasskey } from "../src/api/auth";
import type { Challenge } from "../src/api/challenges.svelte";
import type { Game, GameEvent } from "../src/api/play";
import type { EvidenceLine } from "../src/api/replay";
import type { Tournament } from "../src/api/tournaments";
import { i18n } from "../src/i18n/i18n.svelte";

// Components as Svelte writes them without a browser: what they say and offer, before anything is pressed.

const dataset: Record<string, string> = { session: "open", games: JSON.stringify([{ slug: "ace-race", name: "Ace Race", players: 4 }]) };

beforeAll(async () => {
  const document = { documentElement: { lang: "", dataset } };
  Object.assign(globalThis, { document, location: { pathname: "/tournaments/t/", search: "", origin: "http://localhost" } });
  await i18n.use("en");
  await i18n.need(["lobby", "new-game", "players", "proof", "replay", "sign-in", "table", "table-parts", "tournament", "tournaments"]);
});

const text = (html: string): string =>
  html
    .replace(/<!--.*?-->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

describe("the result of a game", () => {
  const ended = (seats: number, outcome: object): Game =>
    ({
      id: "g", rules: "ace-race", status: "finished", config: {}, seat: null, outcome, rematch: null, clock: {},
      seats: Array.from({ length: seats }, (_, seat) => ({ seat, kind: "player", name: ["Ann", "Bob", "Cid"][seat], owner: null })),
    }) as unknown as Game;
  const shown = async (game: Game): Promise<string> => {
    const { default: Outcome } = await import("../src/table/Outcome.svelte");
    return text(render(Outcome, { props: { table: { invite: "" }, game, isNew: false } as never }).body);
  };

  it.each([
    [[1], "Winner: Bob."],
    [[0, 2], "Winners: Ann and Cid."],
  ])("names the winners %j", async (winners, words) => expect(await shown(ended(3, { winners }))).toContain(words));

  it("offers a rematch to several players, and another game to one", async () => {
    expect(await shown({ ...ended(2, { winners: [0] }), seat: 0 })).toContain("Rematch");
    expect(await shown({ ...ended(1, { result: "won" }), seat: 0 })).toContain("Play again");
  });
});

it("the error of a wrong code stands in its form", async () => {
  const { default: Factor } = await import("../src/pages/sign-in/Factor.svelte");
  const props = { types: ["totp"], busy: false, problem: new Problem(400, "incorrect_code", "", ""), code() {}, passkey() {} };
  expect(render(Factor, { props }).body).toMatch(/<form[^]*role="alert"[^]*<button[^]*<\/form>/);
});

it("what is missing is said in the words of the page, whatever the API calls it", async () => {
  const { default: Failure } = await import("../src/components/Failure.svelte");
  const props = { problem: new Problem(404, "dispute-not-found", "There is no such dispute.", ""), retry() {} };
  expect(text(render(Failure, { props }).body)).toContain(i18n.text("load.missing"));
});

it("each button of a challenge names the challenger", async () => {
  const { default: Challenges } = await import("../src/components/Challenges.svelte");
  const challenge = { id: "c", rules: "ace-race", challenger: { name: "Ann" }, expires: "2026-03-01T12:00:00Z" } as Challenge;
  const labels = render(Challenges, { props: { challenges: [challenge] } }).body.matchAll(/<button[^>]*aria-label="([^"]*)"/g);
  const named = [...labels].map(([, label]) => label);
  expect(named).toHaveLength(3);
  for (const label of named) expect(label).toMatch(/Ann.*Ace Race|Ace Race.*Ann/);
});

it("a guest signs up to enter a tournament, a visitor signs in, and both come back to it", async () => {
  const { default: EntryPanel } = await import("../src/tournament/EntryPanel.svelte");
  const terms = { id: "t", status: "published", entry: null, waiting: null, entries: 0, capacity: 8, fee: 0 };
  const shown = (session: string): string => {
    dataset["session"] = session;
    return render(EntryPanel, { props: { live: { ahead: 0 }, terms: terms as unknown as Tournament } as never }).body;
  };
  onTestFinished(() => void (dataset["session"] = "open"));
  const back = "next=%2Ftournaments%2Ft%2F%3Fenter";
  expect(shown("guest")).toMatch(new RegExp(`href="/sign-in/\\?new&(amp;)?${back}"[^>]*>\\s*(<!--.*?-->)?Sign up to enter`));
  expect(shown("")).toMatch(new RegExp(`href="/sign-in/\\?${back}"[^>]*>\\s*(<!--.*?-->)?Sign in to enter`));
});

it("the choices of an option begin with a capital", async () => {
  const { default: OptionField } = await import("../src/new-game/OptionField.svelte");
  const option = { enum: ["fast", "slow"], "x-labels": { fast: "as quickly as you like", slow: "by turns" } };
  const { body } = render(OptionField, { props: { game: "of-a-plug-in", name: "pace", option, config: { pace: "slow" } } });
  expect(text(body)).toMatch(/As quickly as you like By turns/);
});

it("the replay says that the record of an event holds, and hides its hashes", async () => {
  const { default: Detail } = await import("../src/replay/Detail.svelte");
  const game = { id: "g", rules: "idle-aces", seats: [], status: "finished" } as unknown as Game;
  const event = { version: 1, type: "created", seat: null, data: {}, at: "2026-03-01T12:00:00Z", hash: "abc123", prev: "def456" };
  const line = { chain: "passed", rules: "passed", postings: [], origin: null, why: "" } as unknown as EvidenceLine;
  const props = { game, event: event as unknown as GameEvent, line, checkpoint: null, look: null, legal: null, refused: [], reason: "" };
  const said = text(render(Detail, { props }).body);
  expect(said).toContain("Record passed");
  expect(said).not.toMatch(/hash|abc123|def456/i);
});

it("a browser that gives no passkey is not a lost connection", async () => {
  const publicKey = { parseCreationOptionsFromJSON: (options: unknown) => options };
  vi.stubGlobal("PublicKeyCredential", Object.assign(class {}, publicKey));
  vi.stubGlobal("navigator", { credentials: { create: () => Promise.reject(new Error("cancelled")) } });
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ status: 200, data: { creation_options: { publicKey: {} } } })));
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(addPasskey("of this browser")).rejects.toMatchObject({ code: "no-passkey", isConnection: false });
});
