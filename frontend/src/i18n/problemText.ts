import { type ProblemDocument, textOf } from "@racecard/client";
import { site } from "../api/site";
import { i18n } from "./i18n.svelte";
import type { Values } from "./message";

const MONEY = new Set(["amount", "available", "maximum", "minimum", "remaining", "step", "used"]);
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:/;

/**
 * The text of a refusal in the user's language, by its code. Texts of the page, whose keys begin with `own`, take
 * precedence. If the document lacks a value of the text, the `.plain` text is used. Empty if there is no text: then the
 * server's English text is shown.
 */
export function problemText(document: ProblemDocument, own = ""): string {
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

/** The texts of several reasons, such as those of a refused password. */
function reasonsOf(key: string, document: ProblemDocument): string {
  const reasons = document["reasons"];
  if (!Array.isArray(reasons)) return "";
  const texts = (reasons as ProblemDocument[]).map((one) => filled(`${key}.${textOf(one, "code")}`, valuesOf(one)));
  return texts.every(Boolean) ? texts.join(" ") : "";
}

/** A text of the catalogue with its placeholders filled; empty if the text or a value is missing. */
export function filled(key: string, values: Values): string {
  if (!i18n.has(key)) return "";
  const text = i18n.text(key, values);
  return /\{\w+\}/.test(text) ? "" : text;
}

/** The members of a document for display: amounts in their currency, times in the user's zone. */
function valuesOf(document: ProblemDocument): Values {
  const currency = textOf(document, "currency") || site.currency;
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(document)) {
    if (typeof value === "number") values[name] = MONEY.has(name) ? i18n.money(value, currency) : value;
    else if (typeof value === "string") values[name] = MOMENT.test(value) ? i18n.moment(value) : value;
  }
  // Waiting times are shown in minutes.
  const wait = document["retry_after"];
  if (typeof wait === "number") values["count"] = Math.max(1, Math.ceil(wait / 60));
  const which = `limit.${textOf(document, "limit")}.${textOf(document, "period")}`;
  if (i18n.has(which)) values["limit"] = i18n.text(which);
  const fields = fieldsOf(document);
  if (fields) values["fields"] = fields;
  return values;
}

/** The names of the invalid fields, if the catalogue has all of them. */
function fieldsOf(document: ProblemDocument): string {
  const { errors, field } = document;
  const names = typeof errors === "object" && errors !== null ? Object.keys(errors) : [String(field ?? "")];
  const known = names.map((name) => `refused.field.${name}`).filter((key) => i18n.has(key));
  return known.length === names.length ? known.map((key) => filled(key, {})).join(", ") : "";
}
