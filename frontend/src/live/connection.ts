import { backoff } from "@racecard/client";

/** Whether the page shows the present state. */
export type Connection = "connecting" | "live" | "reconnecting" | "offline";
export type Signal = "answered" | "failed" | "went-offline" | "went-online";
export type Link = Readonly<{ connection: Connection; failures: number }>;

export const START: Link = { connection: "connecting", failures: 0 };

/** Failures in a row after which the page shows *offline*; it keeps trying. */
export const FAILURES_UNTIL_OFFLINE = 4;

export function step(link: Link, signal: Signal): Link {
  switch (signal) {
    case "answered":
      return { connection: "live", failures: 0 };
    case "failed": {
      const failures = link.failures + 1;
      const lost = link.connection === "offline" || failures >= FAILURES_UNTIL_OFFLINE;
      return { connection: lost ? "offline" : "reconnecting", failures };
    }
    case "went-offline":
      return { connection: "offline", failures: link.failures };
    case "went-online":
      return { connection: "reconnecting", failures: 0 };
  }
}

/** Milliseconds until the next try: the ordinary pace while all is well, longer after failures. */
export function wait(link: Link, every: number, chance: number): number {
  if (link.failures === 0) return every;
  return backoff(link.failures, chance);
}
