/** The browser's event streams, in a worker that all of its pages share. */
import { take, type HeardHere, type Said } from "./streams";

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const tell = (heard: HeardHere) => port.postMessage(heard);
  port.onmessage = ({ data }: MessageEvent<Said>) => take(port, data, tell);
});
