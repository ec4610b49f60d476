/** How the reader likes tables to look: kept in this browser alone. */
export const COLOURS = ["green", "red", "blue"] as const;
export const BACKS = [
  "harbour", "brick", "moss", "plum", "amber", "slate", "lattice", "waves", "dots", "stars", "chevron", "night",
] as const;
export type Colour = (typeof COLOURS)[number];
export type Back = (typeof BACKS)[number];

const KEY = "racecard.look";

interface Kept {
  colour: Colour;
  back: Back;
  fourColours: boolean;
  sound: boolean;
}

class Look {
  colour = $state<Colour>("green");
  back = $state<Back>("harbour");
  fourColours = $state(false);
  sound = $state(true);

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Kept>;
      this.colour = COLOURS.find((one) => one === kept.colour) ?? "green";
      this.back = BACKS.find((one) => one === kept.back) ?? "harbour";
      this.fourColours = kept.fourColours === true;
      this.sound = kept.sound !== false;
    } catch {
      // What cannot be read is as if nothing had been kept.
    }
  }

  keep(): void {
    const { colour, back, fourColours, sound } = this;
    localStorage.setItem(KEY, JSON.stringify({ colour, back, fourColours, sound } satisfies Kept));
  }
}

export const look = new Look();
