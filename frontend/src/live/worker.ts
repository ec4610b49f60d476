/** The browser's one event stream, in a worker that all of its pages share. */
import { type Heard, Hub, type Source, type Subject } from "@racecard/client";

export type Said = { kind: "follow"; follows: [Subject, number][] } | { kind: "leave" };

const hub = new Hub((address) => new EventSource(address) as unknown as Source);

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const tell = (heard: Heard) => port.postMessage(heard);
  port.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data.kind === "follow") hub.follow(port, tell, new Map(data.follows));
    else hub.leave(port);
  };
});
