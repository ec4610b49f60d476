export default {
  "app.name": "Racecard",
  "app.skip": "Skip to the content",

  "nav.label": "Main",
  "nav.lobby": "Lobby",
  "nav.tournaments": "Tournaments",
  "nav.docs": "API guide",
  "nav.schema": "OpenAPI schema",
  "nav.disputes": "Disputes",
  "nav.office": "Back office",
  "nav.footer": "Links and language",
  "nav.language": "Language",

  "session.in": "Signed in as {name}",

  "live.connecting": "Connecting",
  "live.live": "Live",
  "live.reconnecting": "Reconnecting",
  "live.offline": "Offline",
  "live.label": "Connection",

  "game.racing-aces": "Racing Aces",
  "game.vegas-solitaire": "Vegas Solitaire",
  "game.idle-aces": "Idle Aces",
  "game.ace-race": "Ace Race",
  "game.racing-demons": "Racing Demons",

  "status.open": "Waiting for players",
  "status.active": "In play",
  "status.void": "Void",
  "status.finished": "Finished",

  "load.loading": "Loading",
  "load.failed": "This could not be loaded.",
  "load.part": "This part of the page could not be loaded.",
  "load.stale": "What stands below is from before.",
  "load.retry": "Try again",
  "load.code": "Code",
  "load.request": "Request",
  "load.offlineDetail": "The server does not answer. The page tries again by itself.",
  "load.signIn": "Only signed-in players may see this.",

  "missing.title": "There is no such page",
  "missing.detail": "Nothing lies at {path}.",
  "missing.back": "Back to the lobby",

  "money.play": "{amount} play money",
  "money.points": "for points",

  "ask.yes": "Yes",
  "howto.open": "How to play",
  "ask.no": "No, go back",

  "nav.wallet": "Wallet",

  "signIn.do": "Sign in",
  "signIn.out": "Sign out",
} as const;
