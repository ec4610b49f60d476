/** The ISO 4217 code for testing, used for play money. */
export const PLAY_MONEY = "XTS";

/** Minor units as the exact decimal text of the amount, so that no float ever touches money. */
export function decimal(minor: number, digits: number): `${number}` {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`not a whole number of minor units: ${minor}`);
  const sign = minor < 0 ? "-" : "";
  const figures = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = figures.slice(0, figures.length - digits);
  return (digits ? `${sign}${whole}.${figures.slice(-digits)}` : `${sign}${whole}`) as `${number}`;
}

/** An amount in the user's locale; play money has no currency sign. */
export function money(minor: number, currency: string, locale: string): string {
  if (currency === PLAY_MONEY) {
    return new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(decimal(minor, 2));
  }
  const notation = new Intl.NumberFormat(locale, { style: "currency", currency });
  return notation.format(decimal(minor, notation.resolvedOptions().maximumFractionDigits ?? 2));
}

/** A time of the server (UTC, ISO 8601) in the user's zone; the text itself if it is not a time. */
export function moment(iso: string, locale: string, timeZone?: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const style = { dateStyle: "medium", timeStyle: "short" } as const;
  return new Intl.DateTimeFormat(locale, timeZone ? { ...style, timeZone } : style).format(at);
}

/** The time of day of a time of the server. */
export function time(iso: string, locale: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(new Date(iso));
}

/** An internal key as people read it: `stock_count` and `stockCount` are "Stock count". For what no catalogue names. */
export function readable(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[\s_.:-]+/g, " ")
    .trim()
    .toLowerCase();
  return capital(words);
}

/** A text as the beginning of a sentence. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `1:05:09`, `12:04`; a begun second counts, and the time is never negative. */
export function clock(left: number): string {
  const seconds = Math.max(0, Math.ceil(left));
  const two = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
