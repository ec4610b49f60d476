type Params = Readonly<Record<string, string>>;

/**
 * The parameters of a path under a pattern such as `/tournaments/:id`, or null if it does not fit.
 * A trailing slash makes no difference; a parameter is one whole segment.
 */
export function match(pattern: string, path: string): Params | null {
  const wanted = segments(pattern);
  const given = segments(path);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return null;
      continue;
    }
    const decoded = decode(value);
    if (!decoded) return null;
    params[part.slice(1)] = decoded;
  }
  return params;
}

function segments(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function decode(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}

/** The first route that fits, with its parameters. */
export function find<Route extends { pattern: string }>(
  routes: readonly Route[],
  path: string,
): { route: Route; params: Params } | null {
  for (const route of routes) {
    const params = match(route.pattern, path);
    if (params) return { route, params };
  }
  return null;
}

/** The filters of a list in the address, so that a reload, Back, and a copied link show the same. */
export function asked<Name extends string>(names: readonly Name[], search = location.search): Record<Name, string> {
  const given = new URLSearchParams(search);
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""])) as Record<Name, string>;
}

/** Write the filters to the address without a new entry in the history. Empty ones are left out. */
export function ask(values: Readonly<Record<string, string>>): void {
  const query = address(values);
  history.replaceState(history.state, "", location.pathname + query + location.hash);
}

/** The filters as a query string with its question mark; empty if there are none. */
export function address(values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();
  return query && `?${query}`;
}
