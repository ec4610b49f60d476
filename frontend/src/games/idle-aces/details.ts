import { packOf } from "../../proof/packs";
import type { Details } from "../manifest";

export default {
  // The twos and kings of the first pack lie on the table already, as the feet of the eight piles.
  packs: () => ({ deck: [...packOf("a").filter((card) => !/^[2K]/.test(card)), ...packOf("b")] }),
} satisfies Details;
