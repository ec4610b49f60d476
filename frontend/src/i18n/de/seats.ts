import type en from "../en/seats";
import type { Translation } from "../message";

export default {
  "seats.freeSeat": "frei",
  "seats.free": { one: "{count} Platz ist frei.", other: "{count} Plätze sind frei." },
  "seats.sit": "Hinsetzen",
  "seats.stand": "Wieder aufstehen",
  "seats.deal": "Geben",
  "seats.invite": "Link für alle, die sich hier setzen dürfen:",
} satisfies Translation<typeof en>;
