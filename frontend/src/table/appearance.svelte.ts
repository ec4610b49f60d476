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
  vibration: boolean;
  flips: boolean;
  fractions: boolean;
}

class Appearance {
  colour = $state<Colour>("green");
  back = $state<Back>("harbour");
  fourColours = $state(false);
  sound = $state(true);
  /** Whether a phone vibrates when it is the reader's turn, and when a move is refused. */
  vibration = $state(false);
  /** Whether a face-down card that is free is turned up at once, where the game leaves this to the player. */
  flips = $state(false);
  /** Whether prices are shown as odds to one, such as 5/2, instead of 3.50. */
  fractions = $state(false);

  constructor() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<StoredAppearance>;
      this.colour = COLOURS.find((one) => one === stored.colour) ?? "green";
      this.back = BACKS.find((one) => one === stored.back) ?? "harbour";
      this.fourColours = stored.fourColours === true;
      this.sound = stored.sound !== false;
      this.vibration = stored.vibration === true;
      this.flips = stored.flips === true;
      this.fractions = stored.fractions === true;
    } catch {
      // Unreadable settings count as missing.
    }
  }

  save(): void {
    const { colour, back, fourColours, sound, vibration, flips, fractions } = this;
    localStorage.setItem(KEY, JSON.stringify({ colour, back, fourColours, sound, vibration, flips, fractions } satisfies StoredAppearance));
  }
}

export const appearance = new Appearance();
