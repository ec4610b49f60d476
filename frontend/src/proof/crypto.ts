/** Hashes, keys, and the shuffle of RULEBOOK 1 (Fairness), based on the Web Crypto API. */
type Bytes = Uint8Array<ArrayBuffer>;

const SPAN = 2 ** 32;
const encoder = new TextEncoder();

export const utf8 = (text: string): Bytes => encoder.encode(text) as Bytes;

export const hex = (bytes: Bytes): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export function unhex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export async function sha256(subtle: SubtleCrypto, bytes: Bytes): Promise<string> {
  return hex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

/** Signs texts by one key: HMAC-SHA256. */
export type Hmac = (message: string) => Promise<Bytes>;

export async function hmac(subtle: SubtleCrypto, key: Bytes): Promise<Hmac> {
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await subtle.sign("HMAC", imported, utf8(message)));
}

/** The message that is signed with the server seed to derive the game's key: the client seeds of the seats, then of the bets. */
export const keyMessage = (seeds: readonly string[]): string => `racecard/1|${seeds.join("|")}`;

/** The endless stream of unsigned 32-bit numbers of a label. */
async function* numbers(key: Hmac, label: string): AsyncGenerator<number, never> {
  for (let block = 0; ; block += 1) {
    const view = new DataView((await key(`${label}|${block}`)).buffer);
    for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
  }
}

/** A uniform number below n, by rejection sampling. */
async function uniform(n: number, stream: AsyncGenerator<number, never>): Promise<number> {
  const limit = SPAN - (SPAN % n);
  for (;;) {
    const { value } = await stream.next();
    if (value < limit) return value % n;
  }
}

/** A shuffled copy (Fisher–Yates from the end); the last card is the top of the pile. */
export async function shuffle(key: Hmac, cards: readonly string[], label: string): Promise<string[]> {
  const shuffled = [...cards];
  const stream = numbers(key, label);
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = await uniform(i + 1, stream);
    [shuffled[i], shuffled[j]] = [shuffled[j] as string, shuffled[i] as string];
  }
  return shuffled;
}
