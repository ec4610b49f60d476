import { packOf } from "../../proof/packs";
import type { Details } from "../manifest";

export default {
  // The twos and kings of the first pack lie on the table already, as the feet of the eight piles.
  packs: () => ({ deck: [...packOf("a").filter((card) => !/^[2K]/.test(card)), ...packOf("b")] }),
  tips: ['.pile[data-pile="stock"]', '.pile[data-pile="twos:0"]', '.pile[data-pile="aces:0"]'],
  pictures: [
    { chapter: "turn", name: "twos", cards: ["2H", "3S", "4D", "5C"] },
    { chapter: "turn", name: "kings", cards: ["KC", "QH", "JS", "TD"] },
  ],
} satisfies Details;
