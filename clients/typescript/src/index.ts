export { connect, createApi, NOTHING, newId, once, session, succeed, unwrap, type Api, type Middleware } from "./requests.js";
export { follow, type Followed, type FollowOptions } from "./follow.js";
export { Hub, type Heard, type Source, type StreamState, type Subject } from "./hub.js";
export { cursorOf, fromCursor, rows, slice, type Page, type Slice } from "./pagination.js";
export { fromAnswer, fromFault, Problem, textOf, type ProblemDocument } from "./problem.js";
export { backoff, retrying, type Fetch, type Patience } from "./retry.js";
export type { Game, GameEvent, Move, Played, Schemas } from "./types.js";
export type { components, paths } from "./schema.js";
