import { lazy } from "../lazy";
import * as format from "./format";
import { message, type Catalogue, type Key, type Part, type Values } from "./message";

/** Each with its catalogue. Only that of the reader's language is loaded. */
export const languages = [
  { code: "en", name: "English", catalogue: () => lazy(() => import("./en")) },
  { code: "de", name: "Deutsch", catalogue: () => lazy(() => import("./de")) },
  { code: "pl", name: "Polski", catalogue: () => lazy(() => import("./pl")) },
] as const;
export type Language = (typeof languages)[number]["code"];

const REMEMBERED = "racecard.language";
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60]] as const;

/** The first preferred language that has a catalogue. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find(({ code }) => tag.toLowerCase().split("-")[0] === code);
    if (found) return found.code;
  }
  return "en";
}

async function load(language: Language, wanted: Iterable<Part>): Promise<Catalogue> {
  const { core, parts } = await languages.find(({ code }) => code === language)!.catalogue();
  const known = [...wanted].flatMap((part) => {
    const [name, ofGame] = part.split("/");
    return parts[ofGame ? `../../games/${name}/${language}/${ofGame}.ts` : `./${name}.ts`] ?? [];
  });
  return Object.assign({}, core, ...(await Promise.all(known.map(lazy)))) as Catalogue;
}

class I18n {
  language = $state<Language>("en");
  #catalogue = $state.raw<Catalogue>({});
  readonly #needed = new Set<Part>();
  /** The full tag, so that money and dates follow the reader's region within the language. */
  locale = $state("en-GB");

  async start(): Promise<void> {
    const remembered = localStorage.getItem(REMEMBERED);
    await this.use(preferred([...(remembered ? [remembered] : []), ...navigator.languages]));
  }

  async choose(language: Language): Promise<void> {
    // Stored at once: the user may leave the page before the texts are loaded.
    localStorage.setItem(REMEMBERED, language);
    try {
      await this.use(language);
    } catch {
      // The page keeps its language; the next one has the chosen one.
    }
  }

  async use(language: Language): Promise<void> {
    this.#catalogue = await load(language, this.#needed);
    this.locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
    this.language = language;
    document.documentElement.lang = language;
  }

  /** Load parts of the catalogue before their texts are shown. Each part is loaded once. */
  async need(parts: readonly Part[]): Promise<void> {
    for (const part of parts) this.#needed.add(part);
    const { language } = this;
    const found = await load(language, parts);
    // If the language has changed meanwhile, `use` has loaded these parts.
    if (language === this.language) this.#catalogue = { ...this.#catalogue, ...found };
  }

  text(key: Key, values?: Values): string {
    const text = this.#catalogue[key];
    if (text === undefined) console.error(`the text ${key} is of a part that this page does not name`);
    return message(text ?? key, this.locale, values);
  }

  /** Whether a key that is made from data is one of the catalogue's. */
  has(key: string): key is Key {
    return key in this.#catalogue;
  }

  /** The text of a key that is made from data, or `otherwise` if the catalogue has none. */
  named(key: string, otherwise: string, values?: Values): string {
    return this.has(key) ? this.text(key, values) : otherwise;
  }

  status(status: string): string {
    return this.named(`status.${status}`, status);
  }

  money(minor: number, currency: string): string {
    const amount = format.money(minor, currency, this.locale);
    return currency === format.PLAY_MONEY ? this.text("money.play", { amount }) : amount;
  }

  /** A currency as the unit of an amount that is entered. */
  currencyUnit(currency: string): string {
    return currency === format.PLAY_MONEY ? this.text("money.play", { amount: "" }).trim() : currency;
  }

  /** An amount with its sign, including plus, so that it does not depend on colour. */
  signed(minor: number, currency: string, amount = this.money(minor, currency)): string {
    return minor > 0 ? `+${amount}` : amount.replace(/^-/, "−");
  }

  /** Without the play money suffix, where the context states it. */
  amount(minor: number, currency: string): string {
    return format.money(minor, currency, this.locale);
  }

  /** A price of the server, such as `4.10`. */
  price(decimal: string): string {
    return new Intl.NumberFormat(this.locale, { minimumFractionDigits: 2 }).format(decimal as `${number}`);
  }

  /** A share of one. */
  percent(share: number): string {
    return new Intl.NumberFormat(this.locale, { style: "percent", maximumFractionDigits: 2 }).format(share);
  }

  /** In a time zone, by default the reader’s. */
  moment(iso: string, timeZone?: string): string {
    return format.moment(iso, this.locale, timeZone);
  }

  /** The time of day of a time of the server, in a zone. */
  time(iso: string, timeZone: string): string {
    return format.time(iso, this.locale, timeZone);
  }

  /** "3 months". */
  unit(count: number, unit: string): string {
    return new Intl.NumberFormat(this.locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
  }

  /** A time in its largest whole unit: "2 hours", "90 seconds". */
  duration(seconds: number): string {
    const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ["second", 1];
    return this.unit(seconds / length, unit);
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.locale).format(value);
  }

  /** Several names as a part of a sentence. */
  list(names: readonly string[]): string {
    return new Intl.ListFormat(this.locale, { type: "conjunction" }).format(names);
  }
}

export const i18n = new I18n();

/** Load what a module exports, together with the texts that it shows, when they are first needed. */
export async function withTexts<Shown>(load: () => Promise<{ default: Shown }>, parts: readonly Part[]): Promise<Shown> {
  const [loaded] = await Promise.all([lazy(load), i18n.need(parts)]);
  return loaded.default;
}

/**
 * Load a module that words what the server refuses or changes, with its texts. Refusals and their reasons have texts in
 * every language but English, in which the server writes them. Null if the module or the texts cannot be loaded.
 */
export async function loadTexts<Module>(load: () => Promise<Module>, parts: readonly Part[] = []): Promise<Module | null> {
  const all: readonly Part[] = i18n.language === "en" ? parts : ["refusals", "reasons", ...parts];
  try {
    const [loaded] = await Promise.all([lazy(load), i18n.need(all)]);
    return loaded;
  } catch {
    return null;
  }
}
