import type { en } from "./en";

export type Key = keyof typeof en;
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type Text = string | Plural;
/** A catalogue has a plural wherever English has one, and plain text elsewhere. */
export type Catalogue = { readonly [K in Key]: (typeof en)[K] extends string ? string : Plural };
export type Values = Readonly<Record<string, string | number>>;

/** The text of a message with its `{places}` filled; a plural is chosen by the value named `count`. */
export function message(text: Text, locale: string, values: Values = {}): string {
  const chosen = typeof text === "string" ? text : plural(text, locale, Number(values["count"] ?? 0));
  return chosen.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value;
  });
}

function plural(text: Plural, locale: string, count: number): string {
  return text[new Intl.PluralRules(locale).select(count)] ?? text.other;
}

/** The names in braces, sorted: a translation must use the same. */
export function places(text: Text): string[] {
  const all = typeof text === "string" ? text : Object.values(text).join(" ");
  return [...new Set([...all.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? ""))].sort();
}
