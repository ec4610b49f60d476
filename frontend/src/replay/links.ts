/** How many characters of an event's hash stand in its link. */
export const HASH = 12;

/** The address of an event that tells when history no longer is what it was. */
export function permalink(game: string, { version, hash }: { version: number; hash: string }): string {
  return `/games/${game}/events/${version}?h=${hash.slice(0, HASH)}`;
}

export type Held = "unasked" | "same" | "changed" | "gone";

/** Whether the event of a link is still what it was when the link was made. `h` is empty where the link names no hash. */
export function held(h: string, event: { hash: string } | undefined): Held {
  if (!event) return "gone";
  if (!h) return "unasked";
  return h.length <= event.hash.length && event.hash.startsWith(h.toLowerCase()) ? "same" : "changed";
}
