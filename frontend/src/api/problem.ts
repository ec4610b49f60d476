/** What an answer other than success says (RFC 9457), and the request id by which the log knows it. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly request: string,
    /** Of a refused move: the sentence of the rule that it breaks. */
    readonly rule: string = "",
  ) {
    super(detail);
    this.name = "Problem";
  }

  /** The server was not reached, or what stood in between answered for it. */
  get isConnection(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** The problem in an answer's body; a body that is no problem document still gives its status. */
export function fromAnswer(status: number, body: unknown, request: string): Problem {
  const document = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string) => (typeof document[name] === "string" ? document[name] : "");
  return new Problem(
    status,
    text("code") || `http-${status}`,
    text("detail") || text("title"),
    request,
    text("rule"),
  );
}

/** The problem that stands for anything thrown while asking: no answer at all, unless it says more. */
export function fromFault(fault: unknown): Problem {
  if (fault instanceof Problem) return fault;
  return new Problem(0, "no-answer", fault instanceof Error ? fault.message : String(fault), "");
}
