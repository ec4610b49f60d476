/** A problem document (RFC 9457). */
export type ProblemDocument = Readonly<Record<string, unknown>>;

/** An error response (RFC 9457), with its request id in the server's log. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly request: string,
    readonly document: ProblemDocument = { code, detail },
  ) {
    super(detail);
    this.name = "Problem";
  }

  /** Whether the server was not reached, or a gateway answered for it. */
  get isConnection(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** A text member of a document; empty if it is missing or not text. */
export function textOf(document: ProblemDocument, name: string): string {
  const value = document[name];
  return typeof value === "string" ? value : "";
}

/** The problem in a response body, or one with the status alone if the body is not a problem document. */
export function fromAnswer(status: number, body: unknown, request: string): Problem {
  const document = typeof body === "object" && body !== null ? (body as ProblemDocument) : {};
  const code = textOf(document, "code") || `http-${status}`;
  const detail = textOf(document, "detail") || textOf(document, "title");
  return new Problem(status, code, detail, request, { ...document, code, detail });
}

/** The problem for any error thrown by a request: `no-answer` unless it is a Problem already. */
export function fromFault(fault: unknown): Problem {
  if (fault instanceof Problem) return fault;
  return new Problem(0, "no-answer", fault instanceof Error ? fault.message : String(fault), "");
}
