import type en from "../en/tournament";
import type { Translation } from "../message";

export default {
  "tournaments.title": "Turniere",
  "tournaments.count": { one: "{count} Turnier.", other: "{count} Turniere." },
  "tournaments.none": "Noch ist kein Turnier veröffentlicht.",
  "tournaments.noneHint": "Die Turnierleitung legt eines in der Verwaltung an und veröffentlicht es.",
  "tournaments.noneAction": "Verwaltung öffnen",
  "tournaments.game": "Spiel",
  "tournaments.fee": "Startgeld",
  "tournaments.feeNone": "frei",
  "tournaments.entrants": "Teilnehmer",
  "tournaments.entrantsValue": "{count} von höchstens {limit}",
  "tournaments.rounds": "Runden",
  "tournaments.roundsValue": "{current} von {total}",
  "tournaments.starts": "Beginn",
  "tournaments.startsByHand": "wenn die Turnierleitung beginnt",
  "tournaments.more": "Ältere Turniere stehen in der Liste der API.",
  "tournaments.one": "Turnier",
  "tournaments.standingsOf": "Tabelle von {name}",

  "standings.title": "Tabelle",
  "standings.rank": "Rang",
  "standings.player": "Spieler",
  "standings.games": "Spiele",
  "standings.open": "offen",
  "standings.prize": "Preis",
  "standings.none": "Noch gibt es keine Tabelle.",
  "standings.noneHint": "Sie erscheint, sobald jemand gemeldet hat, und zählt nur abgeschlossene Runden.",
  "standings.ties": "Wie Gleichstände aufgelöst werden",
  "standings.scroll": "Tabelle, auf schmalen Schirmen seitwärts verschiebbar",
  "standings.back": "Alle Turniere",
} satisfies Translation<typeof en>;
