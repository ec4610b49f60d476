const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** How long ago a moment is, or how far ahead, in the largest unit that is full: "3 hours ago", "in 2 days", "now". */
export function relative(iso: string, now: number, language: string): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", Infinity];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.trunc(seconds / length) + 0, unit);
}
