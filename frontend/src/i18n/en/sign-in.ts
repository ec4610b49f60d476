export default {
  "signIn.title": "Sign in",
  "signIn.newTitle": "Create account",
  "signIn.username": "Name",
  "signIn.password": "Password",
  "signIn.code": "One-time code",
  "signIn.newDo": "Create account",
  "signIn.toNew": "No account yet? Create one",
  "signIn.toOld": "Already have an account? Sign in",
} as const;
