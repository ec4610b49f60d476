export default {
  "app.name": "Racecard",
  "app.skip": "Przejdź do treści",

  "nav.label": "Menu główne",
  "nav.menu": "Menu",
  "nav.lobby": "Lobby",
  "nav.tournaments": "Turnieje",
  "nav.games": "Moje partie",
  "nav.docs": "Przewodnik po API",
  "nav.schema": "Schemat OpenAPI",
  "nav.disputes": "Spory",
  "nav.staff": "Administracja",
  "nav.footer": "Linki i język",
  "nav.language": "Język",

  "bell.none": "Powiadomienia",
  "turn.yours": "Twój ruch",
  "turn.game": "Twój ruch: {game}",
  "bell.unread": "Powiadomienia, nieprzeczytane: {count}",

  "session.in": "Konto: {name}",

  "live.connecting": "Łączenie",
  "live.live": "Na żywo",
  "live.reconnecting": "Ponowne łączenie",
  "live.offline": "Offline",
  "live.label": "Połączenie",

  "status.open": "Czeka na graczy",
  "status.active": "W grze",
  "status.void": "Unieważniono",
  "status.finished": "Zakończono",

  "load.loading": "Ładowanie",
  "load.failed": "Nie udało się tego wczytać.",
  "load.part": "Nie udało się wczytać tej części strony.",
  "load.stale": "Poniższe dane mogą być nieaktualne.",
  "load.retry": "Spróbuj ponownie",
  "load.technical": "Szczegóły techniczne",
  "load.code": "Kod błędu",
  "load.request": "Numer żądania",
  "load.offlineDetail": "Serwer nie odpowiada. Strona automatycznie spróbuje ponownie.",
  "load.signIn": "Zaloguj się, aby to zobaczyć.",
  "load.missing": "To nie istnieje albo nie masz do tego dostępu.",

  "missing.title": "Nie znaleziono strony",
  "missing.detail": "Pod adresem {path} nie ma żadnej strony.",
  "missing.back": "Wróć do lobby",

  "money.play": "{amount} w żetonach",
  "money.points": "na punkty",

  "ask.yes": "Tak",
  "howto.open": "Jak grać",
  "ask.no": "Anuluj",
  "dialog.close": "Zamknij",

  "nav.wallet": "Portfel",
  "nav.balance": "Saldo: {amount}",

  "guest.in": "Grasz jako {name}",
  "guest.play": "Zagraj jako gość",
  "guest.signUp": "Załóż konto i zachowaj swoje partie",
  "signIn.do": "Zaloguj się",
  "signIn.out": "Wyloguj się",
};
