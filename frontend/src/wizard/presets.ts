import type { Form } from "./form";

export type Picture = "swiss" | "knockout" | "duplicate" | "meeting";

interface Preset {
  /** The format, whose name is that of the picture and the texts as well. */
  key: Picture;
  rules: string;
  values: Partial<Form>;
}

/** The usual evenings. Each is a start: every field can still be changed. */
export const PRESETS: readonly Preset[] = [
  {
    key: "swiss",
    rules: "ace-race",
    values: { seats: 4, rounds: 4, capacity: 32, fewest: 8, checkIn: 15, late: 2, waiting: 8, noShow: 5, length: 40, gap: 5, expected: 16, fee: 500, shares: [50, 30, 20] },
  },
  {
    key: "knockout",
    rules: "ace-race",
    values: { seats: 2, through: 1, capacity: 16, fewest: 8, checkIn: 15, late: 0, waiting: 8, noShow: 5, length: 30, gap: 5, expected: 16, fee: 500, shares: [60, 30, 10] },
  },
  {
    key: "duplicate",
    rules: "vegas-solitaire",
    values: { rounds: 3, count: "total", capacity: 100, fewest: 2, checkIn: 0, late: 0, waiting: 0, noShow: 0, length: 20, gap: 5, expected: 20, fee: 200, shares: [50, 30, 20] },
  },
  {
    key: "meeting",
    rules: "racing-aces",
    values: { rounds: 8, bank: 10_000, capacity: 100, fewest: 2, checkIn: 0, late: 0, waiting: 0, noShow: 0, length: 5, gap: 1, expected: 20, fee: 200, shares: [50, 30, 20] },
  },
];

/** Usual divisions of the prizes, in percent by place. */
export const DIVISIONS: readonly (readonly number[])[] = [[100], [70, 30], [50, 30, 20], [40, 25, 15, 12, 8]];
