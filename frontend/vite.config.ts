import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Served by Django: the assets under /static/client/ (hashed names, cached for ever), the page itself at every route.
export default defineConfig({
  base: "/static/",
  plugins: [svelte()],
  build: {
    target: "es2022",
    assetsDir: "client",
    manifest: "client/manifest.json",
    // The Content-Security-Policy is script-src 'self'; style-src 'self': nothing may stand in the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The cards lie in a file of their own, so that what they weigh can be seen.
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: "cards", test: /src[\\/]cards[\\/]/ }] },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node", pool: "vmThreads" },
});
