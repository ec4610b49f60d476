import { describe, expect, it } from "vitest";
import { checkDraw, type Fairness } from "../src/proof/draw";

const FINISHED: Fairness = {
  commitment: "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
  entropy: "8fc8da90a4256699459b2678b65b353450496d9c8caf1c6b352632b36a986b6f",
  client_seeds: ["ann", ""],
  lot_key: "f3f50d8893e158c71f98c5d645b4bce269730ff23cccb0ab919e32c8318c702f",
  seed: Array.from({ length: 32 }, (_, byte) => byte.toString(16).padStart(2, "0")).join(""),
};
const PASSED = { commitment: "passed", entropy: "passed", "client-seed": "passed", "lot-key": "passed" };
const OTHER = "ab".repeat(32);

async function verdicts(changes: Partial<Fairness> = {}, ownSeed: string | null = "ann") {
  const steps = await checkDraw({ ...FINISHED, ...changes }, ownSeed, crypto.subtle);
  return Object.fromEntries(steps.map(({ check, verdict }) => [check, verdict]));
}

describe("the proof of a tournament's draw", () => {
  it("passes when everything follows from the seed and the client seeds", async () => {
    expect(await verdicts()).toEqual(PASSED);
  });

  it("finds another lot key", async () => {
    expect(await verdicts({ lot_key: OTHER })).toEqual({ ...PASSED, "lot-key": "failed" });
    expect(await verdicts({ lot_key: null })).toEqual({ ...PASSED, "lot-key": "failed" });
  });

  it("finds another seed, from which another lot key follows", async () => {
    expect(await verdicts({ seed: OTHER })).toEqual({ ...PASSED, commitment: "failed", "lot-key": "failed" });
  });

  it("finds client seeds that were exchanged", async () => {
    expect(await verdicts({ client_seeds: ["eve", ""] })).toEqual({
      ...PASSED,
      entropy: "failed",
      "client-seed": "failed",
    });
  });

  it("runs what can be run before the seed is published", async () => {
    const running = { ...PASSED, commitment: "not-run", "lot-key": "not-run" };
    expect(await verdicts({ seed: null })).toEqual(running);
  });

  it("looks for no client seed of a viewer who did not enter", async () => {
    expect(await verdicts({}, null)).not.toHaveProperty("client-seed");
  });

  it("runs nothing before entries close", async () => {
    const open = { entropy: null, client_seeds: null, lot_key: null, seed: null };
    const found = await verdicts(open);
    expect(new Set(Object.values(found))).toEqual(new Set(["not-run"]));
  });
});
