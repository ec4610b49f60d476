import { svelte } from "@sveltejs/vite-plugin-svelte";
import { runnerImport, type Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Lists the addresses of the pages for the server, which answers all others with 404. */
const routes: Plugin = {
  name: "routes",
  apply: "build",
  async generateBundle() {
    const { module } = await runnerImport<typeof import("./src/routes")>("./src/routes.ts");
    const patterns = module.routes.map(({ pattern }) => pattern);
    this.emitFile({ type: "asset", fileName: "routes.json", source: JSON.stringify(patterns) });
  },
};

// Served by Django: the assets under /static/client/ (hashed names, cached for ever), the page itself at every route.
// In the mode "kit" it is the page of all parts (kit/), which no installation has.
export default defineConfig(({ command, mode }) => ({
  base: command === "build" && mode !== "kit" ? "/static/" : "/",
  plugins: [svelte(), mode === "kit" ? [] : routes],
  build: {
    target: "es2022",
    outDir: mode === "kit" ? "node_modules/.racecard/parts" : "dist",
    emptyOutDir: true,
    assetsDir: "client",
    manifest: "client/manifest.json",
    // The Content-Security-Policy is script-src 'self'; style-src 'self': nothing may stand in the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: mode === "kit" ? "kit/index.html" : "index.html",
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // The cards lie in a file of their own, so that what they weigh can be seen.
            { name: "cards", test: /src[\\/]cards[\\/]/ },
            // Every table needs these small modules, and compressed together they weigh less.
            { name: "words", test: /src[\\/]table[\\/](eventText|moveText|routes|seats)\.ts$/ },
          ],
        },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node", pool: "vmThreads" },
}));
