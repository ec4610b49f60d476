export default {
  "app.name": "Racecard",
  "app.tagline": "Card games and tournaments in which every move can be proved.",
  "app.skip": "Skip to the content",
  "app.playMoney": "This house plays for play money.",

  "nav.label": "Main",
  "nav.lobby": "Lobby",
  "nav.docs": "API guide",
  "nav.schema": "OpenAPI schema",
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

  "status.draft": "Draft",
  "status.published": "Open for entries",
  "status.running": "Running",
  "status.finished": "Finished",
  "status.cancelled": "Cancelled",

  "load.loading": "Loading",
  "load.failed": "This could not be loaded.",
  "load.stale": "What stands below is from before.",
  "load.retry": "Retry",
  "load.code": "Code",
  "load.request": "Request",
  "load.offlineDetail": "The server does not answer. The page tries again by itself.",
  "load.signIn": "Only signed-in players may see this.",

  "missing.title": "There is no such page",
  "missing.detail": "Nothing lies at {path}.",
  "missing.back": "Back to the lobby",

  "money.play": "{amount} play money",
  "money.points": "for points",

  "nav.play": "Play",

  "signIn.title": "Sign in",
  "signIn.newTitle": "Make an account",
  "signIn.username": "Name",
  "signIn.password": "Password",
  "signIn.code": "One-time code of your authenticator",
  "signIn.do": "Sign in",
  "signIn.newDo": "Make the account",
  "signIn.toNew": "No account yet? Make one",
  "signIn.toOld": "You have an account? Sign in",
  "signIn.out": "Sign out",
} as const;
