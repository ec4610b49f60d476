import type en from "../en/between";
import type { Translation } from "../message";

export default {
  "between.ready": "Dein nächster Tisch ist bereit: Runde {round}, Tisch {table}.",
  "between.go": "Hingehen",
  "between.wait": "Dein Spiel ist vorbei. Dein nächster Tisch steht hier, sobald er bereit ist.",
} satisfies Translation<typeof en>;
