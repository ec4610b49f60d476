/** The number of hash characters in an event's link. */
const HASH = 12;

/** The address of an event, with the start of its hash so that a changed event is detected. */
export function permalink(game: string, { version, hash }: { version: number; hash: string }): string {
  return `/games/${game}/events/${version}?h=${hash.slice(0, HASH)}`;
}

export type Held = "unasked" | "same" | "changed" | "gone";

/** Whether the event of a link is unchanged. `h` is empty if the link has no hash. */
export function held(h: string, event: { hash: string } | undefined): Held {
  if (!event) return "gone";
  if (!h) return "unasked";
  return h.length <= event.hash.length && event.hash.startsWith(h.toLowerCase()) ? "same" : "changed";
}
