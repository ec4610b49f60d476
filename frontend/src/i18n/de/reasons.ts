import type en from "../en/reasons";
import type { Translation } from "../message";

export default {
  "why.play-stopped": "Du hast eine Auszeit bis {until}.",
  "why.play-stopped.plain": "Du hast dich selbst gesperrt.",
  "why.limit-reached": "Dein Limit für {limit} ist {amount}; davon sind {remaining} übrig. Ab {frees_at} passt es wieder.",
  "why.limit-reached.plain": "Dein Limit für {limit} ist {amount}; davon sind {remaining} übrig.",
  "why.insufficient-funds": "Dein verfügbares Guthaben reicht nicht.",
  "why.seats-taken": "Alle Plätze sind besetzt oder reserviert.",
  "why.own-session-only": "Hier spielt nur, wer den Einsatz gezahlt hat.",
  "why.tournament-table": "Die Plätze an diesem Tisch vergibt das Turnier.",
  "why.early-access-used": "Du hast dieses Spiel vorzeitig angesehen und kannst darin nicht spielen.",
  "why.organizer-may-not-bet": "Veranstalter dürfen auf ihr Turnier nicht wetten.",
  "why.judge-may-not-bet": "Schiedsrichter dürfen auf ihr Turnier nicht wetten.",
  "why.not-found": "An diesen Tisch kommt man nur mit Einladung.",

  "limit.deposit.day": "Einzahlungen in 24 Stunden",
  "limit.deposit.week": "Einzahlungen in 7 Tagen",
  "limit.deposit.month": "Einzahlungen in 30 Tagen",
  "limit.stake.day": "Einsätze in 24 Stunden",
  "limit.stake.week": "Einsätze in 7 Tagen",
  "limit.stake.month": "Einsätze in 30 Tagen",
  "limit.loss.day": "Verluste in 24 Stunden",
  "limit.loss.week": "Verluste in 7 Tagen",
  "limit.loss.month": "Verluste in 30 Tagen",

  "seed.label": "Dein Seed (freiwillig)",
  "seed.why": "Beliebiger Text. Die Karten folgen aus einem vorher festgelegten Server-Seed und den Seeds aller Spieler; niemand kann sie bestimmen.",
} satisfies Translation<typeof en>;
