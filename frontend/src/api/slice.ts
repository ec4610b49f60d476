/** A part of a long list, and the cursor at which the following one begins; null where this is the last. */
export interface Slice<Row> {
  results: readonly Row[];
  next: string | null;
}

/** A page of the API, with its cursor in place of the address of the following one. */
export function slice<Page extends { next?: string | null }>(page: Page): Omit<Page, "next"> & { next: string | null } {
  return { ...page, next: cursorOf(page.next) };
}

/** Where the following page begins, out of the address that the server gives for it. */
export function cursorOf(next: string | null | undefined): string | null {
  return next ? new URL(next, "http://server").searchParams.get("cursor") : null;
}

/** What asks for the page that begins at a cursor; the first has none. */
export const behind = (cursor: string | null): { cursor?: string } => (cursor ? { cursor } : {});
