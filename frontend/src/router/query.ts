/** The filters of a list live in the address, so that a reload, the way back and a copied link show the same. */
export function asked<Name extends string>(names: readonly Name[], search = location.search): Record<Name, string> {
  const given = new URLSearchParams(search);
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""])) as Record<Name, string>;
}

/** Put them there without a step in the history; what is empty is left out. */
export function ask(values: Readonly<Record<string, string>>): void {
  const query = address(values);
  history.replaceState(history.state, "", location.pathname + query + location.hash);
}

/** As the end of an address, with its question mark; empty if nothing is asked. */
export function address(values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();
  return query && `?${query}`;
}
