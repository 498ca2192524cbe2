import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Environment } from "../src/environment";

let home: string;
let environment: Environment;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "copyspan-"));
  environment = new Environment({ globalStorageUri: { fsPath: home } } as never);
});

afterEach(() => rm(home, { recursive: true }));

async function make(text: string): Promise<void> {
  await mkdir(environment.folder);
  await writeFile(environment.mark, text);
}

test("a new environment takes the place of the old one", async () => {
  await environment.replace(() => make("old"));
  await environment.replace(() => make("new"));
  assert.equal(await readFile(environment.mark, "utf8"), "new");
  assert.deepEqual(await readdir(home), ["server"]);
});

test("where making it fails, the old one is back", async () => {
  await environment.replace(() => make("old"));
  const failing = environment.replace(async () => {
    await make("half");
    throw new Error("cancelled");
  });
  await assert.rejects(failing, /cancelled/);
  assert.equal(await readFile(environment.mark, "utf8"), "old");
  assert.deepEqual(await readdir(home), ["server"]);
});

test("where there was none and making it fails, nothing is left", async () => {
  await assert.rejects(
    environment.replace(() => Promise.reject(new Error("no pip"))),
    /no pip/,
  );
  assert.equal(await environment.isInstalled(), false);
  assert.deepEqual(await readdir(home), []);
});
