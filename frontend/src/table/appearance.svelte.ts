/** The appearance of tables, stored in this browser. */
export const COLOURS = ["green", "red", "blue"] as const;
export const BACKS = [
  "harbour", "brick", "moss", "plum", "amber", "slate", "lattice", "waves", "dots", "stars", "chevron", "night",
] as const;
type Colour = (typeof COLOURS)[number];
export type Back = (typeof BACKS)[number];

const KEY = "racecard.look";

interface StoredAppearance {
  colour: Colour;
  back: Back;
  fourColours: boolean;
  sound: boolean;
}

class Appearance {
  colour = $state<Colour>("green");
  back = $state<Back>("harbour");
  fourColours = $state(false);
  sound = $state(true);

  constructor() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<StoredAppearance>;
      this.colour = COLOURS.find((one) => one === stored.colour) ?? "green";
      this.back = BACKS.find((one) => one === stored.back) ?? "harbour";
      this.fourColours = stored.fourColours === true;
      this.sound = stored.sound !== false;
    } catch {
      // Unreadable settings count as missing.
    }
  }

  save(): void {
    const { colour, back, fourColours, sound } = this;
    localStorage.setItem(KEY, JSON.stringify({ colour, back, fourColours, sound } satisfies StoredAppearance));
  }
}

export const appearance = new Appearance();
