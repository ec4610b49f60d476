export default {
  "signIn.title": "Sign in",
  "signIn.newTitle": "Make an account",
  "signIn.username": "Name",
  "signIn.password": "Password",
  "signIn.code": "One-time code of your authenticator",
  "signIn.newDo": "Make the account",
  "signIn.toNew": "No account yet? Make one",
  "signIn.toOld": "You have an account? Sign in",
} as const;
