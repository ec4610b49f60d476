// `node server.js PORT FOLDER`: a boardgame.io server that keeps its matches in files of the folder.

const { FlatFile, Server } = require("boardgame.io/server");

// What is left out makes a move cheaper: the players have nothing to hide from each other, and a move is never undone,
// so no earlier state is stored with the present one.
const cards = {
  name: "cards",
  disableUndo: true,
  setup: () => ({ stock: Array.from({ length: 24 }, (_, number) => `C${number}`), waste: [] }),
  moves: {
    draw: ({ G }) => {
      if (G.stock.length === 0) {
        G.stock = G.waste.reverse();
        G.waste = [];
      }
      G.waste.push(G.stock.pop());
    },
  },
};

const [port, dir] = process.argv.slice(2);
Server({ games: [cards], db: new FlatFile({ dir }), origins: [] }).run(Number(port));
