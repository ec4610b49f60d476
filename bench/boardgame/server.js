// `node server.js PORT FOLDER [flush]`: a boardgame.io server that keeps its matches in files of the folder. With
// `flush`, a file that is written is also flushed to the disk, which node-persist has no option for.

const [port, dir, flush] = process.argv.slice(2);
if (flush) {
  const fs = require("fs");
  const { writeFile } = fs;
  fs.writeFile = (file, content, encoding, done) => writeFile(file, content, { encoding, flush: true }, done);
}

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

Server({ games: [cards], db: new FlatFile({ dir }), origins: [] }).run(Number(port));
