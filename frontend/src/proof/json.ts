/** JSON as a bundle is hashed (RULEBOOK 8): read without losing how numbers stood there, written in canonical form (RFC 8785). */
export type Json = null | boolean | number | string | Inexact | Json[] | Dictionary;
export interface Dictionary {
  [key: string]: Json;
}

/** A number that has no canonical form here: with a fraction or exponent, or beyond ±(2^53 − 1). */
export class Inexact {
  constructor(readonly source: string) {}
}

export class Unreadable extends Error {}
export class NotCanonical extends Error {}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const WORDS: Readonly<Record<string, null | boolean>> = { null: null, true: true, false: false };

/** Parse a document. Throws Unreadable, also for a duplicate key in an object. */
export function read(text: string): Json {
  let at = 0;

  const take = (form: RegExp): string | null => {
    form.lastIndex = at;
    const found = form.exec(text);
    if (!found) return null;
    at = form.lastIndex;
    return found[0];
  };
  const space = () => void take(SPACE);
  const fail = (): never => {
    throw new Unreadable(`no JSON at character ${at}`);
  };
  const expect = (character: string): void => {
    if (text[at] !== character) fail();
    at += 1;
  };

  function string(): string {
    const found = take(STRING) ?? fail();
    try {
      return JSON.parse(found) as string;
    } catch {
      return fail();
    }
  }

  function number(source: string): Json {
    const value = Number(source);
    if (!/^-?\d+$/.test(source) || !Number.isSafeInteger(value)) return new Inexact(source);
    return value === 0 ? 0 : value;
  }

  function value(): Json {
    space();
    const next = text[at];
    if (next === '"') return string();
    if (next === "{") return object();
    if (next === "[") return list();
    const digits = take(NUMBER);
    if (digits !== null) return number(digits);
    const word = Object.keys(WORDS).find((one) => text.startsWith(one, at)) ?? fail();
    at += word.length;
    return WORDS[word] ?? null;
  }

  function list(): Json[] {
    const items: Json[] = [];
    expect("[");
    space();
    if (text[at] === "]") at += 1;
    else {
      do items.push(value());
      while (more());
      expect("]");
    }
    return items;
  }

  function object(): Dictionary {
    const members = Object.create(null) as Dictionary;
    expect("{");
    space();
    if (text[at] === "}") at += 1;
    else {
      do {
        space();
        const key = string();
        if (key in members) throw new Unreadable("duplicate key in an object");
        space();
        expect(":");
        members[key] = value();
      } while (more());
      expect("}");
    }
    return members;
  }

  function more(): boolean {
    space();
    if (text[at] !== ",") return false;
    at += 1;
    return true;
  }

  const document = value();
  space();
  if (at !== text.length) fail();
  return document;
}

/** Text with a lone surrogate has no UTF-8 form. */
export const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** The canonical text of a value. Throws NotCanonical. */
export function canonical(value: Json): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return String(value);
  if (value instanceof Inexact) throw new NotCanonical(`${value.source.slice(0, 40)} is no whole number that is safe`);
  if (typeof value === "string") {
    if (!isWhole(value)) throw new NotCanonical("text with a lone surrogate");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(ascii(key))}:${canonical(value[key] ?? null)}`).join(",")}}`;
}

function ascii(key: string): string {
  // With ASCII keys alone the order of code points is that of UTF-16, in which RFC 8785 sorts.
  if (!/^[\u0000-\u007f]*$/.test(key)) throw new NotCanonical(`the key ${key.slice(0, 40)} is not ASCII text`);
  return key;
}

export const isDictionary = (value: unknown): value is Dictionary =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Inexact);

/** Equality as JSON has it: 1 and true are two values. */
export function same(one: Json, other: Json): boolean {
  try {
    return canonical(one) === canonical(other);
  } catch {
    return false;
  }
}
