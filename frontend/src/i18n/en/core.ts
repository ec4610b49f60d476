export default {
  "app.name": "Racecard",
  "app.skip": "Skip to the content",

  "nav.label": "Main",
  "nav.menu": "Menu",
  "nav.lobby": "Lobby",
  "nav.tournaments": "Tournaments",
  "nav.games": "My games",
  "nav.docs": "API guide",
  "nav.schema": "OpenAPI schema",
  "nav.disputes": "Disputes",
  "nav.staff": "Staff pages",
  "nav.footer": "Links and language",
  "nav.language": "Language",

  "bell.none": "Notifications",
  "turn.yours": "Your turn",
  "turn.game": "Your turn: {game}",
  "bell.unread": "Notifications: {count} unread",

  "session.in": "Signed in as {name}",

  "live.connecting": "Connecting",
  "live.live": "Live",
  "live.reconnecting": "Reconnecting",
  "live.offline": "Offline",
  "live.label": "Connection",

  "status.open": "Waiting for players",
  "status.active": "In play",
  "status.void": "Void",
  "status.finished": "Finished",

  "load.loading": "Loading",
  "load.failed": "This could not be loaded.",
  "load.part": "This part of the page could not be loaded.",
  "load.stale": "The data below may be out of date.",
  "load.retry": "Try again",
  "load.technical": "Technical details",
  "load.code": "Error code",
  "load.request": "Request number",
  "load.offlineDetail": "The server does not answer. The page tries again automatically.",
  "load.signIn": "Sign in to see this.",
  "load.missing": "It does not exist, or you may not see it.",

  "missing.title": "Page not found",
  "missing.detail": "There is no page at {path}.",
  "missing.back": "Back to the lobby",

  "money.play": "{amount} play money",
  "money.points": "for points",

  "ask.yes": "Yes",
  "howto.open": "How to play",
  "ask.no": "Cancel",
  "dialog.close": "Close",

  "nav.wallet": "Wallet",
  "nav.balance": "Balance: {amount}",

  "guest.in": "Playing as {name}",
  "guest.play": "Play as a guest",
  "guest.signUp": "Sign up to keep your games",
  "signIn.do": "Sign in",
  "signIn.out": "Sign out",
} as const;
