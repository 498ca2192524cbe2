// Draws media/icon.png from media/icon.svg with Chromium, which CHROMIUM names where it is not on the path.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "icon-"));
const page = join(folder, "icon.html");
writeFileSync(
  page,
  `<style>body { margin: 0 } svg { display: block }</style>${readFileSync("media/icon.svg", "utf8")}`,
);
const looks = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--hide-scrollbars",
  "--default-background-color=00000000",
];
const output = `--screenshot=${resolve("media/icon.png")}`;
execFileSync(process.env.CHROMIUM ?? "chromium", [...looks, "--window-size=256,256", output, `file://${page}`], {
  stdio: ["ignore", "ignore", "ignore"],
});
rmSync(folder, { recursive: true });
