import { describe, expect, it } from "vitest";
import canonicals from "../../docs/vectors/canonical.json";
import chain from "../../docs/vectors/chain.json";
import deal from "../../docs/vectors/deal.json";
import seals from "../../docs/vectors/seals.json";
import { loadDetails } from "../src/games/registry";
import { hex, hmac, keyMessage, sha256, shuffle, unhex, utf8 } from "../src/proof/crypto";
import { canonical, NotCanonical, read, Unreadable, type Json } from "../src/proof/json";

const subtle = crypto.subtle;

describe("the test vectors for other implementations", () => {
  it.each(canonicals.accepted)("writes $text", async ({ text, canonical: written, sha256: digest }) => {
    expect(canonical(read(text))).toBe(written);
    expect(await sha256(subtle, utf8(written))).toBe(digest);
  });

  it.each(canonicals.refused)("refuses $text", ({ text }) => {
    let refused: unknown;
    try {
      canonical(read(text));
    } catch (fault) {
      refused = fault;
    }
    expect(refused instanceof Unreadable || refused instanceof NotCanonical).toBe(true);
  });

  it.each(chain.events)("hashes event $version", async ({ hashed, hash, ...envelope }) => {
    expect(canonical(envelope as Json)).toBe(hashed);
    expect(await sha256(subtle, utf8(hashed))).toBe(hash);
  });

  it.each(deal.keys)("makes the key of $message", async ({ client_seeds, bet_seeds, message, game_key }) => {
    expect(keyMessage([...client_seeds, ...bet_seeds])).toBe(message);
    expect(hex(await (await hmac(subtle, unhex(deal.server_seed)))(message))).toBe(game_key);
  });

  it.each(deal.shuffles)("shuffles $cards.length cards", async ({ label, cards, shuffled }) => {
    expect(await shuffle(await hmac(subtle, unhex(deal.game_key)), cards, label)).toEqual(shuffled);
  });

  it.each(deal.packs)("deals $rules", async ({ rules, seats, packs }) => {
    const key = await hmac(subtle, unhex(deal.game_key));
    const wanted = (await loadDetails(rules))?.packs?.(seats) ?? {};
    expect(Object.keys(wanted)).toEqual(Object.keys(packs));
    for (const [label, cards] of Object.entries(wanted)) {
      expect(await shuffle(key, cards, label)).toEqual((packs as Record<string, string[]>)[label]);
    }
  });

  it.each(seals.seals)("seals event $version", async ({ version, private: hidden, message, seal }) => {
    expect(`seal|${seals.stream}|${version}|${canonical(hidden as Json)}`).toBe(message);
    expect(hex(await (await hmac(subtle, unhex(seals.game_key)))(message))).toBe(seal);
  });
});
