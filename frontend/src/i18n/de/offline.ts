export default {
  "offline.title": "Du bist offline",
  "offline.hint": "Deine Spiele und ihre Uhren laufen auf dem Server. Sobald es wieder eine Verbindung gibt, öffnet sich diese Seite neu.",
};
