import { decimal } from "../i18n/format";
import { i18n } from "../i18n/i18n.svelte";

/**
 * Digits, or groups of three with a space or an apostrophe between them, or with a point or a comma where the other one
 * follows; then up to two digits after a point or a comma.
 */
const AMOUNT =
  /^(\d{1,9}|[1-9]\d{0,2}(?:(?:[\s'’]\d{3}){1,2}|(?:\.\d{3}){1,2}(?=,)|(?:,\d{3}){1,2}(?=\.)))(?:[.,](\d{1,2}))?$/;
/** Thousands in one language, and a fraction in another. */
const UNCLEAR = /^([1-9]\d{0,2})[.,](\d{3})$/;

/**
 * The minor units of a typed amount. A point and a comma mean the same in every language, so that the language of the
 * page never changes an amount. Undefined if nothing is typed; null if it is no amount, or could be two, as `1.000`.
 */
export function pence(text: string): number | null | undefined {
  if (!text.trim()) return undefined;
  const [, whole, hundredths = ""] = AMOUNT.exec(text.trim()) ?? [];
  return whole === undefined ? null : Number(whole.replace(/\D/g, "") + hundredths.padEnd(2, "0"));
}

/** The two amounts, in minor units, that a text such as `1.000` could be. */
export function readings(text: string): [more: number, less: number] | undefined {
  const [, whole, group] = UNCLEAR.exec(text.trim()) ?? [];
  return whole && group ? [Number(`${whole}${group}00`), Number(whole + group.slice(0, 2))] : undefined;
}

/** An amount as it is typed: with the decimal sign of the locale, and nothing between its thousands. */
export function typed(minor: number, locale = i18n.locale): string {
  return new Intl.NumberFormat(locale, { minimumFractionDigits: 2, useGrouping: false }).format(decimal(minor, 2));
}

/** Why a text is no amount, or, where one `isNeeded`, none above 0; empty if it is one. `example` is in minor units. */
export function amountFault(text: string, example: number, isNeeded = false): string {
  const minor = pence(text);
  if (isNeeded ? minor : minor !== null) return "";
  const both = readings(text)?.map((one) => typed(one));
  return both
    ? i18n.text("amount.unclear", { typed: text.trim(), more: both[0]!, less: both[1]! })
    : i18n.text("amount.wrong", { example: typed(example) });
}
