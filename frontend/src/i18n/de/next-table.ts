import type en from "../en/next-table";
import type { Translation } from "../message";

export default {
  "next.ready": "Dein nächster Tisch ist bereit: Runde {round}, Tisch {table}.",
  "next.go": "Zum Tisch",
  "next.wait": "Dein Spiel ist vorbei. Dein nächster Tisch erscheint hier, sobald er bereit ist.",
} satisfies Translation<typeof en>;
