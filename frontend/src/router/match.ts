export type Params = Readonly<Record<string, string>>;

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
