/** Milliseconds before a request for a part of the client that failed is sent again. */
const PAUSES = [250, 1000];

/** Style sheets that could not be fetched. Vite requests each of them only once. */
const failed = new Set<HTMLLinkElement>();
globalThis.addEventListener?.("error", ({ target }) => target instanceof HTMLLinkElement && failed.add(target), true);

/** Import a part of the client. A failed import is repeated, together with its style sheets; the last failure is thrown. */
export async function lazy<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pause of PAUSES) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await Promise.all([...failed].map(again)).catch(() => undefined);
    }
  }
  return load();
}

function again(old: HTMLLinkElement): Promise<unknown> {
  const link = old.cloneNode() as HTMLLinkElement;
  failed.delete(old);
  return new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = reject;
    old.replaceWith(link);
  });
}
