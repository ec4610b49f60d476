import { type Schemas, succeed, unwrap } from "@racecard/client";
import { api } from "./client";

export type Block = Schemas["BlockOutput"];
export type Reason = Schemas["PlayerReportInputRequest"]["reason"];

export async function blocks(): Promise<Block[]> {
  return unwrap(await api.GET("/api/v1/players/me/blocks/"));
}

export async function block(player_id: string): Promise<void> {
  succeed(await api.PUT("/api/v1/players/me/blocks/{player_id}/", { params: { path: { player_id } } }));
}

export async function unblock(player_id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/players/me/blocks/{player_id}/", { params: { path: { player_id } } }));
}

/** Sent again with the same key a report is made once. */
export async function report(player_id: string, body: Schemas["PlayerReportInputRequest"], key: string): Promise<void> {
  const params = { path: { player_id }, header: { "Idempotency-Key": key } };
  succeed(await api.POST("/api/v1/players/{player_id}/reports/", { params, body }));
}
