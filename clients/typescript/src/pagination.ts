import { unwrap, type Api } from "./requests.js";

/** A part of a long list, and the cursor of the next part; null if this is the last. */
export interface Slice<Row> {
  results: readonly Row[];
  next: string | null;
}

/** The beginning of a list that is kept fresh. */
export interface Page<Row> {
  results: Row[];
  hasMore: boolean;
}

/** A page of the API, with the cursor instead of the address of the next page. */
export function slice<Page extends { next?: string | null }>(page: Page): Omit<Page, "next"> & { next: string | null } {
  return { ...page, next: cursorOf(page.next) };
}

/** The cursor in the address of the next page. */
export function cursorOf(next: string | null | undefined): string | null {
  return next ? new URL(next, "http://server").searchParams.get("cursor") : null;
}

/** The query for the page at a cursor; empty for the first page. */
export const fromCursor = (cursor: string | null): { cursor?: string } => (cursor ? { cursor } : {});

/** The rows of a list, from its first page on; each further page is loaded when its first row is wanted. */
export async function* rows<Row>(api: Api, first: { results: readonly Row[]; next?: string | null }): AsyncGenerator<Row> {
  for (let page = first; ; ) {
    yield* page.results;
    if (!page.next) return;
    const { pathname, search } = new URL(page.next, "http://server");
    page = unwrap(await api.GET((pathname + search) as "/api/v1/rules/")) as unknown as typeof first;
  }
}
