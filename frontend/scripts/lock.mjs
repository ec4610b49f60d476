// Rewrites package-lock.json without the host addresses that npm would write into it: neither registries nor funding pages.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const npm = process.env.npm_execpath;
if (!npm) throw new Error("run this as `npm run lock`");
execFileSync(process.execPath, [npm, "install", "--package-lock-only", "--ignore-scripts"], { stdio: "inherit" });
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
for (const entry of Object.values(lock.packages)) {
  if (!entry.link) delete entry.resolved;
  delete entry.funding;
}
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
