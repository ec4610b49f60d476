import { en } from "./en";
import * as format from "./format";
import { message, type Catalogue, type Key, type Values } from "./message";

/** The one mechanism: a catalogue per language, loaded when it is first wanted; English is always there. */
const catalogues: Record<string, () => Promise<Catalogue>> = {
  en: () => Promise.resolve(en),
  de: () => import("./de").then((module) => module.de),
};

export const languages = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
] as const;
export type Language = (typeof languages)[number]["code"];

const REMEMBERED = "racecard.language";

/** The first language of the reader that there is a catalogue for. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find(({ code }) => tag.toLowerCase().split("-")[0] === code);
    if (found) return found.code;
  }
  return "en";
}

class I18n {
  language = $state<Language>("en");
  #catalogue = $state.raw<Catalogue>(en);
  /** The full tag, so that money and dates follow the reader's region within the language. */
  #locale = $state("en-GB");

  async start(): Promise<void> {
    const remembered = localStorage.getItem(REMEMBERED);
    await this.use(preferred([...(remembered ? [remembered] : []), ...navigator.languages]));
  }

  async choose(language: Language): Promise<void> {
    localStorage.setItem(REMEMBERED, language);
    await this.use(language);
  }

  async use(language: Language): Promise<void> {
    const catalogue = await catalogues[language]?.();
    if (!catalogue) return;
    this.#catalogue = catalogue;
    this.#locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
    this.language = language;
    document.documentElement.lang = language;
  }

  text(key: Key, values?: Values): string {
    return message(this.#catalogue[key], this.#locale, values);
  }

  /** Whether a key that is made from data is one of the catalogue's. */
  has(key: string): key is Key {
    return key in this.#catalogue;
  }

  /** The text of a key that is made from data (a status, a game's slug), or the data itself. */
  named(prefix: "game" | "status", slug: string): string {
    const key = `${prefix}.${slug}`;
    return key in this.#catalogue ? this.text(key as Key) : slug;
  }

  money(minor: number, currency: string): string {
    const amount = format.money(minor, currency, this.#locale);
    return currency === format.PLAY_MONEY ? this.text("money.play", { amount }) : amount;
  }

  moment(iso: string): string {
    return format.moment(iso, this.#locale);
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.#locale).format(value);
  }
}

export const i18n = new I18n();
