import { type Schemas, succeed, unwrap } from "@racecard/client";
import { api } from "./client";

export type Account = Schemas["PlayerOutput"];
export type Token = Schemas["TokenOutput"];

export async function account(): Promise<Account> {
  return unwrap(await api.GET("/api/v1/players/me/"));
}

export async function changeName(display_name: string): Promise<void> {
  succeed(await api.PATCH("/api/v1/players/me/", { body: { display_name } }));
}

export async function tokens(): Promise<Token[]> {
  return unwrap(await api.GET("/api/v1/tokens/"));
}

export type Scope = NonNullable<Schemas["TokenInputRequest"]["scopes"]>[number];

/** An API token, shown once; the session must have confirmed the reader's identity recently. */
export async function makeToken(body: Schemas["TokenTermsInputRequest"]): Promise<string> {
  return unwrap(await api.POST("/api/v1/players/me/tokens/", { body })).token;
}

export async function revoke(token_id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/tokens/{token_id}/", { params: { path: { token_id } } }));
}

export async function revokeAll(): Promise<void> {
  succeed(await api.DELETE("/api/v1/tokens/"));
}

/** Delete the account; the session must have confirmed the reader's identity recently. */
export async function close(): Promise<void> {
  // OpenAPI cannot describe the body of a DELETE.
  succeed(await api.DELETE("/api/v1/players/me/", { body: {} as never }));
}
