import type { Problem } from "@racecard/client";
import { expect, test, vi } from "vitest";

class PublicKeyCredential {
  static parseCreationOptionsFromJSON = (options: object) => options;
  static parseRequestOptionsFromJSON = (options: object) => options;
}

const options = { publicKey: {} };
const answer = { status: 200, data: { creation_options: options, request_options: options } };
const fetched = vi.fn(() => Promise.resolve(new Response(JSON.stringify(answer))));
const refuse = () => Promise.reject(new DOMException("", "NotAllowedError"));

vi.stubGlobal("document", { documentElement: { dataset: {} }, cookie: "", querySelector: () => null });
vi.stubGlobal("navigator", { languages: ["en"], credentials: { create: refuse, get: refuse } });
vi.stubGlobal("PublicKeyCredential", PublicKeyCredential);
vi.stubGlobal("fetch", fetched);
const { addPasskey, signInByPasskey } = await import("../src/api/auth");
const { i18n } = await import("../src/i18n/i18n.svelte");
const { problemText } = await import("../src/i18n/problemText");

test.each([
  ["adds", () => addPasskey("my laptop")],
  ["signs in", signInByPasskey],
])("a browser that %s without a passkey is not taken for a server that is away", async (_, ask) => {
  await i18n.use("en");
  await i18n.need(["sign-in"]);
  fetched.mockClear();
  const problem = await ask().then(
    () => expect.unreachable(),
    (error: unknown) => error as Problem,
  );
  expect([problem.code, problem.isConnection, fetched.mock.calls.length]).toEqual(["no-passkey", false, 1]);
  expect(problemText(problem.document, "auth")).toBe("The request was cancelled, or this browser has no passkey for it.");
});
