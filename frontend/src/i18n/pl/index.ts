import type { Catalogue } from "../message";

/** The texts of every page, and the parts that a page loads when it first needs them; those of a game are in its folder. */
export { default as core } from "./core";
export const parts = import.meta.glob<Catalogue>(["./*.ts", "!./{core,index}.ts", "../../games/*/pl/*.ts"], { import: "default" });
