export default {
  "app.name": "Racecard",
  "app.skip": "Zum Inhalt springen",

  "nav.label": "Hauptmenü",
  "nav.menu": "Menü",
  "nav.lobby": "Lobby",
  "nav.tournaments": "Turniere",
  "nav.games": "Meine Spiele",
  "nav.docs": "API-Anleitung",
  "nav.schema": "OpenAPI-Schema",
  "nav.disputes": "Anfechtungen",
  "nav.staff": "Verwaltung",
  "nav.footer": "Links und Sprache",
  "nav.language": "Sprache",

  "bell.none": "Benachrichtigungen",
  "turn.yours": "Du bist dran",
  "turn.game": "Du bist dran: {game}",
  "bell.unread": "Benachrichtigungen: {count} ungelesen",

  "session.in": "Konto: {name}",

  "live.connecting": "Verbindet",
  "live.live": "Live",
  "live.reconnecting": "Verbindet neu",
  "live.offline": "Offline",
  "live.label": "Verbindung",

  "status.open": "Wartet auf Mitspieler",
  "status.active": "Im Spiel",
  "status.void": "Ungültig",
  "status.finished": "Beendet",

  "load.loading": "Lädt",
  "load.failed": "Das ließ sich nicht laden.",
  "load.part": "Dieser Teil der Seite ließ sich nicht laden.",
  "load.stale": "Die Daten darunter sind vielleicht veraltet.",
  "load.retry": "Erneut versuchen",
  "load.technical": "Technische Einzelheiten",
  "load.code": "Fehlercode",
  "load.request": "Nummer der Anfrage",
  "load.offlineDetail": "Der Server antwortet nicht. Die Seite versucht es automatisch wieder.",
  "load.signIn": "Melde dich an, um das zu sehen.",
  "load.missing": "Das gibt es nicht, oder du darfst es nicht sehen.",

  "missing.title": "Seite nicht gefunden",
  "missing.detail": "Unter {path} gibt es keine Seite.",
  "missing.back": "Zurück zur Lobby",

  "money.play": "{amount} Spielgeld",
  "money.points": "um Punkte",

  "ask.yes": "Ja",
  "howto.open": "So wird gespielt",
  "ask.no": "Abbrechen",
  "dialog.close": "Schließen",

  "nav.wallet": "Geldbeutel",
  "nav.balance": "Guthaben: {amount}",

  "guest.in": "Du spielst als {name}",
  "guest.play": "Als Gast spielen",
  "guest.signUp": "Konto anlegen und Spiele behalten",
  "signIn.do": "Anmelden",
  "signIn.out": "Abmelden",
};
