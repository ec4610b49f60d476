/** The browser's event streams, in a worker that all of its pages share. */
import { type Heard, Hub, type Source, type Subject } from "@racecard/client";
import { WaitingHub, type Waiting } from "./waiting";

export type Said = { kind: "follow"; follows: [Subject, number][] } | { kind: "wait"; reader: string } | { kind: "leave" };
export type HeardHere = Heard | { kind: "waiting"; waiting: Waiting };

const open = (address: string) => new EventSource(address) as unknown as Source;
const hub = new Hub(open);
const waiting = new WaitingHub(open);

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const tell = (heard: HeardHere) => port.postMessage(heard);
  port.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data.kind === "follow") hub.follow(port, tell, new Map(data.follows));
    else if (data.kind === "wait") waiting.follow(port, data.reader, (found) => tell({ kind: "waiting", waiting: found }));
    else {
      hub.leave(port);
      waiting.leave(port);
    }
  };
});
