import type { components } from "./schema.js";

/** The objects of the REST API, by their names in its OpenAPI document. */
export type Schemas = components["schemas"];

/** A move in the grammar of its game, which the OpenAPI document does not describe. */
export type Move = Readonly<{ type: string; [key: string]: unknown }>;

type WithMoves<T> = Omit<T, "legal_moves"> & { legal_moves: Move[] };
export type Game = WithMoves<Schemas["GameOutput"]>;
export type Played = WithMoves<Schemas["PlayedOutput"]>;
export type GameEvent = Schemas["EventOutput"];
