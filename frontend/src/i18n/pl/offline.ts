export default {
  "offline.title": "Jesteś offline",
  "offline.hint": "Twoje partie i ich zegary są na serwerze. Ta strona otworzy się ponownie, gdy wróci połączenie.",
};
