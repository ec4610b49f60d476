import { house } from "../api/house";
import { textOf, type ProblemDocument } from "../api/problem";
import { i18n } from "./i18n.svelte";
import type { Values } from "./message";

const MONEY = new Set(["amount", "available", "maximum", "minimum", "remaining", "step", "used"]);
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:/;

/**
 * A refusal in the reader's language, by its code. Texts of the page's own, whose keys begin with `own`, go before those
 * that hold everywhere. Where the document lacks what a text tells, its `.plain` one does without. Empty where there is
 * none: then the house's own words, which are English, are all there is.
 */
export function said(document: ProblemDocument, own = ""): string {
  const values = valuesOf(document);
  const reason = textOf(document, "reason") || textOf(document, "field");
  for (const prefix of own ? [own, "refused"] : ["refused"]) {
    const key = `${prefix}.${textOf(document, "code")}`;
    const text =
      reasonsOf(key, document) ||
      (reason && filled(`${key}.${reason}`, values)) ||
      filled(key, values) ||
      filled(`${key}.plain`, values);
    if (text) return text;
  }
  return "";
}

/** Several reasons, each with what it is about: what is wrong with a password, say. */
function reasonsOf(key: string, document: ProblemDocument): string {
  const reasons = document["reasons"];
  if (!Array.isArray(reasons)) return "";
  const told = (reasons as ProblemDocument[]).map((one) => filled(`${key}.${textOf(one, "code")}`, valuesOf(one)));
  return told.every(Boolean) ? told.join(" ") : "";
}

/** A text of the catalogue with its places filled; empty where there is none, or a place stays open. */
export function filled(key: string, values: Values): string {
  if (!i18n.has(key)) return "";
  const text = i18n.text(key, values);
  return /\{\w+\}/.test(text) ? "" : text;
}

/** The members of a document as a reader is told them: money in its currency, moments in the reader's zone. */
export function valuesOf(document: ProblemDocument): Values {
  const currency = textOf(document, "currency") || house.currency;
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(document)) {
    if (typeof value === "number") values[name] = MONEY.has(name) ? i18n.money(value, currency) : value;
    else if (typeof value === "string") values[name] = MOMENT.test(value) ? i18n.moment(value) : value;
  }
  // Nobody waits by the second.
  const wait = document["retry_after"];
  if (typeof wait === "number") values["count"] = Math.max(1, Math.ceil(wait / 60));
  const which = `limit.${textOf(document, "limit")}.${textOf(document, "period")}`;
  if (i18n.has(which)) values["limit"] = i18n.text(which);
  const fields = fieldsOf(document);
  if (fields) values["fields"] = fields;
  return values;
}

/** The names of the fields that were not as they should be, as far as the catalogue has them. */
function fieldsOf(document: ProblemDocument): string {
  const { errors, field } = document;
  const names = typeof errors === "object" && errors !== null ? Object.keys(errors) : [String(field ?? "")];
  const known = names.map((name) => `refused.field.${name}`).filter((key) => i18n.has(key));
  return known.length === names.length ? known.map((key) => filled(key, {})).join(", ") : "";
}
