// Builds the server's wheel into dist/server/, from where "Install Server" installs it.
// PYTHON names the interpreter that builds it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";

const folder = "dist/server";
const python = process.env.PYTHON ?? "python3";

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ".."], { stdio: "inherit" });
const wheels = readdirSync(folder);
if (wheels.length !== 1 || !wheels[0].endsWith(".whl")) {
  throw new Error(`${folder} holds ${wheels.join(", ") || "nothing"}, and should hold one wheel.`);
}
console.log(`${folder}/${wheels[0]}`);
