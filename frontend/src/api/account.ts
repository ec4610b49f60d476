import { api, NOTHING, succeed, unwrap } from "./client";
import type { components } from "./schema";

export type Account = components["schemas"]["PlayerOutput"];
export type Token = components["schemas"]["TokenOutput"];

export async function account(): Promise<Account> {
  return unwrap(await api.GET("/api/v1/players/me/"));
}

export async function changeNames(display_name: string, email: string): Promise<void> {
  succeed(await api.PATCH("/api/v1/players/me/", { body: { display_name, email } }));
}

export async function changePassword(current: string, fresh: string): Promise<void> {
  succeed(await api.POST("/api/v1/players/me/password/", { body: { current, new: fresh } }));
}

/** The address for an authenticator, shown once. */
export async function enrol(): Promise<string> {
  return unwrap(await api.POST("/api/v1/players/me/otp/", { body: NOTHING })).config_url;
}

export async function confirmCode(otp: string): Promise<void> {
  succeed(await api.POST("/api/v1/players/me/otp/confirm/", { body: { otp } }));
}

export async function tokens(): Promise<Token[]> {
  return unwrap(await api.GET("/api/v1/tokens/"));
}

export type Scope = NonNullable<components["schemas"]["TokenInputRequest"]["scopes"]>[number];

interface Wanted {
  username: string;
  password: string;
  name: string;
  scopes: Scope[];
  days: number;
  otp: string;
}

/** An API token, shown once. */
export async function makeToken({ otp, ...wanted }: Wanted): Promise<string> {
  const body = { ...wanted, ...(otp ? { otp } : {}) };
  return unwrap(await api.POST("/api/v1/tokens/", { body })).token;
}

export async function revoke(token_id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/tokens/{token_id}/", { params: { path: { token_id } } }));
}

export async function revokeAll(): Promise<void> {
  succeed(await api.DELETE("/api/v1/tokens/"));
}

export async function close(password: string): Promise<void> {
  // OpenAPI cannot describe the body of a DELETE.
  succeed(await api.DELETE("/api/v1/players/me/", { body: { password } as never }));
}
