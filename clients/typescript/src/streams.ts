import { fromAnswer, fromFault, textOf, type Problem, type ProblemDocument } from "./problem.js";
import { unwrap, type Api } from "./requests.js";
import { backoff, pause } from "./retry.js";

/** The server sends a heartbeat every 14 s; a stream that is silent for so many milliseconds is taken as lost. */
const SILENCE = 30_000;

export interface StreamOptions {
  signal?: AbortSignal;
  /** Milliseconds without any byte after which the stream is opened again. */
  silence?: number;
}

/** A message of an event stream. */
export interface Message {
  name: string;
  data: string;
}

/** Request an event stream. It is neither repeated nor read to its end before it is returned, as other answers are. */
export async function opened(api: Api, address: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const headers = { Accept: "text/event-stream" };
  const options = { headers, signal, parseAs: "stream", fetch: (request: Request) => fetch(request) } as const;
  return unwrap(await api.GET(address as "/api/v1/feed/", options)) as unknown as ReadableStream<Uint8Array>;
}

/**
 * What `take` makes of each message of a stream, which is opened again after a lost connection; `open` requests it from
 * where it ended. Throws the Problem if the server refuses or closes the stream.
 */
export async function* resumed<T>(
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  take: (message: Message) => AsyncIterable<T>,
  { signal, silence = SILENCE }: StreamOptions,
): AsyncGenerator<T> {
  for (let failures = 0; !signal?.aborted; ) {
    const cut = new AbortController();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const stop = () => {
      cut.abort();
      // Node may lose the signal of a request when it collects garbage, and would keep the connection open.
      reader?.cancel().catch(() => undefined);
    };
    signal?.addEventListener("abort", stop);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, silence);
    };
    try {
      heard();
      reader = (await open(cut.signal)).getReader(); // Safari cannot iterate over a stream.
      for await (const message of messages(reader, heard)) {
        failures = 0;
        if (message.name === "closed") throw closed(message.data);
        yield* take(message);
      }
    } catch (fault) {
      if (signal?.aborted) return;
      const problem = fromFault(fault);
      if (!problem.isConnection && problem.status !== 429) throw problem;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      stop();
    }
    failures += 1;
    await pause(backoff(failures, Math.random()), signal);
  }
}

/** The reason in the last message of a stream that the server closes for good. */
function closed(data: string): Problem {
  const document = JSON.parse(data) as ProblemDocument;
  return fromAnswer(Number(document["status"]), document, textOf(document, "request_id"));
}

/** The messages of an event stream (server-sent events). `heard` is called for every chunk, also for heartbeats. */
async function* messages(reader: ReadableStreamDefaultReader<Uint8Array>, heard: () => void): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = "";
  let name = "message";
  let data: string[] = [];
  for (;;) {
    const { done, value: chunk } = await reader.read();
    if (done) return;
    heard();
    const lines = (text + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { name, data: data.join("\n") };
        name = "message";
        data = [];
        continue;
      }
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event") name = value;
    }
  }
}
