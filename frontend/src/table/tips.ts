const KEY = "racecard.tips";

const seen = (): string[] => (localStorage.getItem(KEY) ?? "").split(" ").filter(Boolean);

/** Whether the tips of a game are shown by themselves: once in a browser, and not to a program that drives it. */
export const isNewHere = (rules: string): boolean => !navigator.webdriver && !seen().includes(rules);

export function remember(rules: string): void {
  localStorage.setItem(KEY, [...new Set([...seen(), rules])].join(" "));
}
