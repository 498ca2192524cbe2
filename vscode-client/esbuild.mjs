// Bundles the extension into dist/, or, with --tests, the unit tests into build/test/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const isTest = process.argv.includes("--tests");
const tests = readdirSync("test")
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);

await build({
  entryPoints: isTest ? tests : ["src/extension.ts"],
  outdir: isTest ? "build/test" : "dist",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  sourcemap: true,
  sourcesContent: false,
  minify: !isTest && process.argv.includes("--production"),
  logLevel: "warning",
});
