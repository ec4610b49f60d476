import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defaultClientConditions, runnerImport, type Plugin } from "vite";
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

/** A page is never rendered by the server. Of Svelte this leaves out what would take such a page over. */
const mounted: Plugin = {
  name: "mounted",
  apply: "build",
  transform: {
    filter: { id: /svelte[\\/]src[\\/]internal[\\/]client[\\/]dom[\\/]hydration\.js$/ },
    handler(code) {
      const fixed = code.replace("export let hydrating = false", "export const hydrating = false").replace("hydrating = value;", "");
      if (fixed.length !== code.length + 2 - "hydrating = value;".length) this.error("Svelte marks its hydration in another way");
      return fixed;
    },
  },
};

// Served by Django: the assets under /static/client/ (hashed names, cached for ever), the page itself at every route.
// In the mode "kit" it is the page of all parts (kit/), which no installation has.
export default defineConfig(({ command, mode }) => ({
  base: command === "build" && mode !== "kit" ? "/static/" : "/",
  // The client of the REST API is compiled from its sources.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  ssr: { resolve: { conditions: ["source"] } },
  plugins: [svelte(), mounted, mode === "kit" ? [] : routes],
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
            // What every page needs, and what every table needs: small modules weigh less when they are compressed together.
            {
              name: "base",
              test: /node_modules[\\/]|clients[\\/]typescript|preload-helper|src[\\/](lazy\.ts|live[\\/]|i18n[\\/][\w.]+$|api[\\/](client|site)|components[\\/](Failure|Lazy|ProblemText)|kit[\\/](Avatar|Badge|Button|Money|Notice|Person|Select|Skeleton))/,
            },
            {
              name: "words",
              test: /src[\\/](api[\\/]play|games[\\/](registry|[\w-]+[\\/]manifest)|table[\\/](appearance|cardTransition|eventText|flight|hand|moveText|parts|routes|seats))(\.svelte)?\.ts$/,
            },
          ],
        },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts", "../clients/typescript/tests/*.test.ts"], environment: "node", pool: "vmThreads" },
}));
