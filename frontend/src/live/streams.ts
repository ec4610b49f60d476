/** The browser's event streams, for one page or for all that share a worker. */
import { type Heard, Hub, type Source, type Subject } from "@racecard/client";
import { WaitingHub, type Waiting } from "./waiting";

export type Said = { kind: "follow"; follows: [Subject, number][] } | { kind: "wait"; reader: string } | { kind: "leave" };
export type HeardHere = Heard | { kind: "waiting"; waiting: Waiting };

const open = (address: string) => new EventSource(address) as unknown as Source;
const hub = new Hub(open);
const waiting = new WaitingHub(open);

/** Do what a page says; `page` is the same object each time. */
export function take(page: object, said: Said, tell: (heard: HeardHere) => void): void {
  if (said.kind === "follow") hub.follow(page, tell, new Map(said.follows));
  else if (said.kind === "wait") waiting.follow(page, said.reader, (found) => tell({ kind: "waiting", waiting: found }));
  else {
    hub.leave(page);
    waiting.leave(page);
  }
}
