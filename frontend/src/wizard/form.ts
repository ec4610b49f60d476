import type { Format, Terms } from "../api/drafts";
import type { Tournament } from "../api/tournaments";
import type { Config } from "../new-game/options";

/** What the organizer enters. Amounts are in pence, times are wall time, and an emptied number is null. */
export interface Form {
  name: string;
  description: string;
  format: string;
  rules: string;
  config: Config;
  rounds: number | null;
  games: number | null;
  seats: number;
  through: number;
  count: string;
  bank: number | null;
  first: string;
  firstRounds: number | null;
  groups: number | null;
  qualify: number | null;
  second: string;
  capacity: number | null;
  fewest: number | null;
  waiting: number | null;
  /** Minutes, as all lengths here. */
  checkIn: number | null;
  late: number | null;
  fill: number | null;
  noShow: number | null;
  /** Whether it starts at a set time, and not when the organizer starts it. */
  isTimed: boolean;
  opens: string;
  zone: string;
  length: number | null;
  gap: number | null;
  fixed: { round: number | null; opens: string }[];
  fee: number | null;
  /** The number of entrants for which the prizes are shown. */
  expected: number | null;
  hasAmounts: boolean;
  /** In percent. */
  shares: (number | null)[];
  amounts: (number | null)[];
  guarantee: number | null;
  rake: number | null;
  /** Terms that the form does not show, as the draft has them; they belong to its format and its game. */
  kept: Pick<Terms, "sizes" | "tie_breaks" | "seeding" | "seeded_by" | "rated">;
}

const MINUTE = 60;
const ROOM_TO_ENTER = 2 * 3600_000;

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The next Friday at 19:00 as the value of an input, at least two hours from now. */
export function nextFriday(now = new Date()): string {
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + ((5 - now.getDay() + 7) % 7), 19);
  if (at.getTime() - now.getTime() < ROOM_TO_ENTER) at.setDate(at.getDate() + 7);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T19:00`;
}

export function emptyForm(): Form {
  return {
    name: "",
    description: "",
    format: "swiss",
    rules: "",
    config: {},
    rounds: 4,
    games: 1,
    seats: 2,
    through: 1,
    count: "total",
    bank: 10_000,
    first: "swiss",
    firstRounds: 3,
    groups: 2,
    qualify: 4,
    second: "knockout",
    capacity: 32,
    fewest: 4,
    waiting: 0,
    checkIn: 0,
    late: 0,
    fill: 0,
    noShow: 0,
    isTimed: true,
    opens: nextFriday(),
    zone: ownZone(),
    length: 30,
    gap: 5,
    fixed: [],
    fee: 0,
    expected: 16,
    hasAmounts: false,
    shares: [50, 30, 20],
    amounts: [5000, 3000, 2000],
    guarantee: 0,
    rake: 0,
    kept: {},
  };
}

/** Which of the form's fields matter to a format. The others are neither shown nor sent. */
export function matters(form: Form, format: Format) {
  const seats = seatsIn(format, form.rules);
  const hasTables = !format.on_bets && Math.max(0, ...seats) > 1;
  const isStaged = format.slug === "stages";
  return {
    seats: hasTables && seats.length > 1,
    through: format.knocks_out && form.seats > 2,
    rounds: format.needs_rounds,
    games: !format.on_bets,
    count: format.counts.length > 1,
    bank: format.on_bets,
    stages: isStaged,
    groups: isStaged && form.first === "round-robin",
    late: format.slug === "swiss" || (isStaged && form.first === "swiss"),
    noShow: hasTables && form.config["pace"] !== "race",
    fill: !format.on_bets,
  };
}

/** The numbers of seats that a table of a game may have in a format. */
export function seatsIn(format: Format, rules: string): number[] {
  return format.games.find((game) => game.rules === rules)?.seats ?? [];
}

/** A number as it is sent; the server says what is wrong with null. */
const sent = (value: number | null): number => value as number;
const seconds = (minutes: number | null): number => sent(minutes === null ? null : Math.round(minutes * MINUTE));
const points = (percent: number | null): number => sent(percent === null ? null : Math.round(percent * 100));

/** The terms of a form, with the game's options that the tournament fixes. */
export function termsOf(form: Form, format: Format, fixed: Readonly<Record<string, unknown>>): Terms {
  const has = matters(form, format);
  const paysPrizes = form.fee !== 0 || form.guarantee !== 0;
  const config = Object.fromEntries(Object.entries(form.config).filter(([, value]) => value !== null && value !== ""));
  return {
    ...form.kept,
    name: form.name.trim(),
    description: form.description,
    format: format.slug as Terms["format"],
    rules: form.rules,
    config: { ...config, ...fixed },
    rounds: has.rounds ? sent(form.rounds) : 0,
    games: has.games ? sent(form.games) : 1,
    seats: has.seats ? form.seats : 0,
    through: has.through ? form.through : 0,
    count: has.count ? (form.count as "total") : "total",
    bank: has.bank ? sent(form.bank) : 0,
    stages: has.stages ? (stagesOf(form) as NonNullable<Terms["stages"]>) : [],
    capacity: sent(form.capacity),
    fewest: sent(form.fewest),
    waiting_list: sent(form.waiting),
    fill_to: has.fill ? sent(form.fill) : 0,
    late_until: has.late ? sent(form.late) : 0,
    no_show_seconds: has.noShow ? seconds(form.noShow) : 0,
    opens_at: form.isTimed ? form.opens : null,
    time_zone: form.zone,
    check_in_seconds: form.isTimed ? seconds(form.checkIn) : 0,
    round_seconds: seconds(form.length),
    gap_seconds: seconds(form.gap),
    round_times: form.isTimed ? form.fixed.map(({ round, opens }) => ({ round: sent(round), opens_at: opens })) : [],
    fee: sent(form.fee),
    rake: points(form.rake),
    guarantee: sent(form.guarantee),
    ...(paysPrizes && !form.hasAmounts ? { prizes: form.shares.map(points) } : {}),
    amounts: paysPrizes && form.hasAmounts ? form.amounts.map(sent) : [],
  };
}

function stagesOf(form: Form) {
  const first = { format: form.first, rounds: sent(form.firstRounds), qualify: sent(form.qualify) };
  const groups = form.first === "round-robin" ? { groups: sent(form.groups) } : {};
  return [{ ...first, ...groups }, { format: form.second }];
}

const wall = (local: string | null): string => local?.slice(0, "2027-03-28T19:00".length) ?? "";

/** The form of a draft. */
export function formOf(draft: Tournament): Form {
  const form = emptyForm();
  const [first, second] = draft.stages;
  return {
    ...form,
    name: draft.name,
    description: draft.description,
    format: draft.format,
    rules: draft.rules,
    config: draft.config as Config,
    rounds: draft.rounds || form.rounds,
    games: draft.games,
    seats: draft.seats,
    through: draft.through,
    count: draft.count,
    bank: draft.bank || form.bank,
    ...(first && second
      ? { first: first.format, firstRounds: first.rounds, groups: first.groups, qualify: first.qualify, second: second.format }
      : {}),
    capacity: draft.capacity,
    fewest: draft.fewest,
    waiting: draft.waiting_list,
    checkIn: draft.check_in_seconds / MINUTE,
    late: draft.late_until,
    fill: draft.fill_to,
    noShow: draft.no_show_seconds / MINUTE,
    isTimed: draft.opens_at !== null,
    opens: wall(draft.opens_at_local) || form.opens,
    zone: draft.time_zone,
    length: draft.round_seconds / MINUTE,
    gap: draft.gap_seconds / MINUTE,
    fixed: draft.round_times.map(({ round, opens_at_local }) => ({ round, opens: wall(opens_at_local) })),
    fee: draft.fee,
    expected: Math.min(draft.capacity, Math.max(draft.fewest, 16)),
    hasAmounts: draft.amounts.length > 0,
    shares: draft.prizes.map((share) => share / 100),
    amounts: draft.amounts.length > 0 ? [...draft.amounts] : form.amounts,
    guarantee: draft.guarantee,
    rake: draft.rake / 100,
    kept: keptOf(draft),
  };
}

function keptOf(draft: Tournament): Form["kept"] {
  const { sizes, tie_breaks, seeding, seeded_by, rated } = draft;
  const counts = tie_breaks.length > 0 ? { tie_breaks: tie_breaks as NonNullable<Terms["tie_breaks"]> } : {};
  const seats = draft.bank === 0 && sizes.length > 0 ? { sizes } : {};
  return { ...seats, ...counts, seeding, seeded_by, rated };
}

/** The length of a list of percentages, or what is missing to 100. */
export const shared = (shares: readonly (number | null)[]): number =>
  shares.reduce<number>((sum, share) => sum + Math.round((share ?? 0) * 100), 0) / 100;

/** The fields of the form that are entered as text or as a number. */
export type Asked = { [Key in keyof Form]: Form[Key] extends string | number | null ? Key : never }[keyof Form];
