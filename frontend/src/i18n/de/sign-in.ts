import type en from "../en/sign-in";
import type { Translation } from "../message";

export default {
  "signIn.title": "Anmelden",
  "signIn.newTitle": "Konto anlegen",
  "signIn.username": "Name",
  "signIn.password": "Passwort",
  "signIn.code": "Einmalcode",
  "signIn.newDo": "Konto anlegen",
  "signIn.toNew": "Noch kein Konto? Jetzt anlegen",
  "signIn.toOld": "Schon ein Konto? Anmelden",
} satisfies Translation<typeof en>;
