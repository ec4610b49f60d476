const KEY = "racecard.tips";

/** The games whose tips this browser has shown; undefined where it keeps nothing. */
function seen(): string[] | undefined {
  try {
    return (localStorage.getItem(KEY) ?? "").split(" ").filter(Boolean);
  } catch {
    return undefined;
  }
}

/** Whether the tips of a game are shown by themselves: once in a browser, and never where that cannot be kept. */
export const isNewHere = (rules: string): boolean => seen()?.includes(rules) === false;

export function remember(rules: string): void {
  try {
    localStorage.setItem(KEY, [...new Set([...(seen() ?? []), rules])].join(" "));
  } catch {
    // Without room they are shown again.
  }
}
