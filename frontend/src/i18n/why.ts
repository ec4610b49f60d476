import { i18n } from "./i18n.svelte";
import { house } from "../api/house";

/** A problem document that tells beforehand what a request would be refused with. */
export type Obstacle = Readonly<Record<string, unknown>>;

/** Why something would be refused, in the reader's language; the server's own words where the catalogue has none. */
export function why(obstacle: Obstacle): string {
  const text = (name: string) => (typeof obstacle[name] === "string" ? obstacle[name] : "");
  const code = text("code");
  if (code === "play-stopped") {
    return text("until") ? i18n.text("why.play-stopped", { until: i18n.moment(text("until")) }) : i18n.text("why.excluded");
  }
  if (code === "limit-reached") {
    const currency = text("currency") || house.currency;
    const pence = (name: string) => i18n.money(Number(obstacle[name] ?? 0), currency);
    const limit = `limit.${text("limit")}.${text("period")}`;
    const said = i18n.text("why.limit-reached", {
      limit: i18n.has(limit) ? i18n.text(limit) : text("limit"),
      amount: pence("amount"),
      left: pence("remaining"),
    });
    return text("frees_at") ? `${said} ${i18n.text("why.frees", { at: i18n.moment(text("frees_at")) })}` : said;
  }
  const key = `why.${code}`;
  return i18n.has(key) ? i18n.text(key) : text("detail") || text("title");
}
