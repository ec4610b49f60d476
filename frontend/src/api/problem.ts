/** A problem document (RFC 9457): what a request was refused with, or would be. */
export type ProblemDocument = Readonly<Record<string, unknown>>;

/** What an answer other than success says (RFC 9457), and the request id by which the log knows it. */
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

  /** The server was not reached, or what stood in between answered for it. */
  get isConnection(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** A member of a document that is text; empty where it is none. */
export function textOf(document: ProblemDocument, name: string): string {
  const value = document[name];
  return typeof value === "string" ? value : "";
}

/** The problem in an answer's body; a body that is no problem document still gives its status. */
export function fromAnswer(status: number, body: unknown, request: string): Problem {
  const document = typeof body === "object" && body !== null ? (body as ProblemDocument) : {};
  const code = textOf(document, "code") || `http-${status}`;
  const detail = textOf(document, "detail") || textOf(document, "title");
  return new Problem(status, code, detail, request, { ...document, code, detail });
}

/** The problem that stands for anything thrown while asking: no answer at all, unless it says more. */
export function fromFault(fault: unknown): Problem {
  if (fault instanceof Problem) return fault;
  return new Problem(0, "no-answer", fault instanceof Error ? fault.message : String(fault), "");
}
