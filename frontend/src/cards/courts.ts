import JC from "@heruka_urgyen/react-playing-cards/src/images/2color/JC.svg?url";
import JD from "@heruka_urgyen/react-playing-cards/src/images/2color/JD.svg?url";
import JH from "@heruka_urgyen/react-playing-cards/src/images/2color/JH.svg?url";
import JS from "@heruka_urgyen/react-playing-cards/src/images/2color/JS.svg?url";
import QC from "@heruka_urgyen/react-playing-cards/src/images/2color/QC.svg?url";
import QD from "@heruka_urgyen/react-playing-cards/src/images/2color/QD.svg?url";
import QH from "@heruka_urgyen/react-playing-cards/src/images/2color/QH.svg?url";
import QS from "@heruka_urgyen/react-playing-cards/src/images/2color/QS.svg?url";
import KC from "@heruka_urgyen/react-playing-cards/src/images/2color/KC.svg?url";
import KD from "@heruka_urgyen/react-playing-cards/src/images/2color/KD.svg?url";
import KH from "@heruka_urgyen/react-playing-cards/src/images/2color/KH.svg?url";
import KS from "@heruka_urgyen/react-playing-cards/src/images/2color/KS.svg?url";

/** The pictures of the court cards, by rank and suit; each is loaded when such a card is first shown. */
export const COURTS: Readonly<Record<string, string>> = { JC, JD, JH, JS, QC, QD, QH, QS, KC, KD, KH, KS };
