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

/**
 * The pictures of jacks, queens, and kings, cut out of the whole cards of a package: without their indices, which the
 * client draws itself, and with coordinates in whole units (1300 to the width of a picture), which halves their size.
 */
const pictures: Plugin = {
  name: "pictures",
  apply: "build",
  enforce: "pre",
  load: {
    filter: { id: /react-playing-cards.*[JQK][CDHS]\.svg\?url$/ },
    async handler(id) {
      const path = id.replace("?url", "");
      const card = await this.fs.readFile(path, { encoding: "utf8" });
      const picture = card
        .replace(/ viewBox="-120 -168 240 336"/, ' viewBox="-82.4 -130.4 164.8 260.8"')
        .replace(/ (height="3\.5in"|width="2\.5in"|preserveAspectRatio="none"(?= viewBox="-82))/g, "")
        .replace(/<rect width="239".*?<\/rect>/, "")
        .replace(/<use [^>]*"#[VS]\w+"[^>]* y="-1\d\d(\.\d+)?"><\/use>/g, "")
        .replace(/ d="[^"]*"/g, (data) => data.replace(/-?\d*\.\d+/g, (number) => ` ${Math.round(Number(number))}`));
      if (picture.includes("<text") || picture.length > card.length * 0.85) this.error(`${path} is drawn in another way`);
      const reference = this.emitFile({ type: "asset", name: path.slice(-6), source: picture });
      return `export default import.meta.ROLLUP_FILE_URL_${reference}`;
    },
  },
};

/** The style sheet of the font for pages that are not of this build: the staff pages. */
const font: Plugin = {
  name: "font",
  apply: "build",
  enforce: "post",
  async generateBundle(_, bundle) {
    const built = new Map(Object.values(bundle).map(({ fileName }) => [/figtree-[\w-]+-normal/.exec(fileName)?.[0], fileName]));
    const sheet = await this.fs.readFile("node_modules/@fontsource-variable/figtree/index.css", { encoding: "utf8" });
    const source = sheet.replace(/\.\/files\/([\w-]+)\.woff2/g, (_, name: string) => `/static/${built.get(name) ?? this.error(`no ${name}`)}`);
    this.emitFile({ type: "asset", fileName: "client/font.css", source });
  },
};

// Served by Django: the assets under /static/client/ (hashed names, cached for ever), the page itself at every route.
// In the mode "kit" it is the page of all parts (kit/), which no installation has.
export default defineConfig(({ command, mode }) => ({
  base: command === "build" && mode !== "kit" ? "/static/" : "/",
  // The client of the REST API is compiled from its sources.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  ssr: { resolve: { conditions: ["source"] } },
  plugins: [svelte(), mounted, pictures, mode === "kit" ? [] : [routes, font]],
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
            // The event streams themselves are in the shared worker, and in the page only where there is none.
            {
              name: "base",
              test: /node_modules[\\/]|clients[\\/]typescript[\\/]src[\\/](?!hub)|preload-helper|src[\\/](lazy\.ts|live[\\/](?!streams|waiting)|i18n[\\/](?!problemText)[\w.]+$|api[\\/](client|site)|components[\\/](Failure|Lazy|ProblemText)|kit[\\/](Avatar|Badge|Button|Money|Notice|Person|Select|Skeleton))/,
            },
            {
              name: "words",
              test: /src[\\/](api[\\/]play|games[\\/](registry|[\w-]+[\\/]manifest)|table[\\/](appearance|cardTransition|eventText|flight|ground|hand|moveText|parts|routes|seats))(\.svelte)?\.ts$/,
            },
          ],
        },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts", "../clients/typescript/tests/*.test.ts"], environment: "node", pool: "vmThreads" },
}));
