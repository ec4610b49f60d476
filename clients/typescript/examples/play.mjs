// Plays a game of Idle Aces for points to its end and follows its event stream.
// Run: node play.mjs http://127.0.0.1:8000 TOKEN    (a token with the scopes read and play)
import { connect, follow, NOTHING, once, unwrap } from "@racecard/client";

const [url, token] = process.argv.slice(2);
const api = connect(url, token);

async function play() {
  const made = unwrap(await api.POST("/api/v1/games/", { params: { header: once() }, body: { rules: "idle-aces", config: {} } }));
  const path = { game_id: made.id };
  const seat = { params: { path, header: once() }, body: { client_seed: "chosen by the player" } };
  unwrap(await api.POST("/api/v1/games/{game_id}/seats/", seat));
  let state = unwrap(await api.POST("/api/v1/games/{game_id}/start/", { params: { path, header: once() }, body: NOTHING }));
  // The first legal move may turn the cards over for thousands of moves.
  for (let made = 0; state.legal_moves.length > 0; made += 1) {
    const body = { move: made < 100 ? state.legal_moves[0] : { type: "resign" } };
    state = unwrap(await api.POST("/api/v1/games/{game_id}/moves/", { params: { path, header: once() }, body }));
  }
  return made.id;
}

for await (const one of follow(api, await play(), { after: 0 })) {
  if (one.kind === "event") console.log(one.event.version, one.event.type);
}
