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
