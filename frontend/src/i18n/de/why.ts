import type en from "../en/why";
import type { Translation } from "../message";

export default {
  "why.play-stopped": "Du hast bis {until} Pause.",
  "why.play-stopped.plain": "Du hast dich vom Spiel ausgeschlossen.",
  "why.limit-reached": "Deine Grenze für {limit} ist {amount}; davon sind {remaining} übrig. Ab {frees_at} passt es wieder.",
  "why.limit-reached.plain": "Deine Grenze für {limit} ist {amount}; davon sind {remaining} übrig.",
  "why.insufficient-funds": "So viel hast du nicht verfügbar.",
  "why.seats-taken": "Alle Plätze sind besetzt oder für jemanden freigehalten.",
  "why.own-session-only": "Hier spielt nur, wer den Einsatz gezahlt hat.",
  "why.tournament-table": "An seine Tische setzt das Turnier selbst.",
  "why.looked-early": "Du hast in dieses Spiel hineingesehen und kannst darin nicht spielen.",
  "why.organizer-may-not-bet": "Wer ein Turnier leitet, wettet darin auf niemanden.",
  "why.judge-may-not-bet": "Wer in einem Turnier entscheidet, wettet darin auf niemanden.",
  "why.not-found": "Hier setzt sich nur, wer eingeladen ist.",

  "limit.deposit.day": "Einzahlungen in 24 Stunden",
  "limit.deposit.week": "Einzahlungen in 7 Tagen",
  "limit.deposit.month": "Einzahlungen in 30 Tagen",
  "limit.stake.day": "Einsätze in 24 Stunden",
  "limit.stake.week": "Einsätze in 7 Tagen",
  "limit.stake.month": "Einsätze in 30 Tagen",
  "limit.loss.day": "Verluste in 24 Stunden",
  "limit.loss.week": "Verluste in 7 Tagen",
  "limit.loss.month": "Verluste in 30 Tagen",

  "seed.label": "Dein Teil des Mischens (freiwillig)",
  "seed.why": "Irgendein Text. Gegeben wird aus einem Geheimnis, auf das sich das Haus festgelegt hat, und aus den Texten aller Mitspielenden: Niemand kann das Blatt allein bestimmen.",
} satisfies Translation<typeof en>;
