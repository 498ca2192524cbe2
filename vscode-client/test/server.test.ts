import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Crashes } from "../src/core/crashes";
import { basePythons, isNewEnough, PROBE, readProbe, verdict } from "../src/core/probe";
import { commandOf, expanded, places } from "../src/core/search";
import { Serial } from "../src/core/serial";
import { serverSettings } from "../src/core/settings";

const NOTHING = { command: [], interpreter: undefined, own: undefined, isTrusted: true };

test("the setting is the only place where it is set; else the interpreter, then our own", () => {
  const all = { command: ["x"], interpreter: "i", own: "o", isTrusted: true };
  assert.deepEqual(
    places(all).map((it) => it.kind),
    ["setting"],
  );
  assert.deepEqual(
    places({ ...all, command: [] }).map((it) => it.kind),
    ["interpreter", "own"],
  );
  assert.deepEqual(
    places({ ...all, command: [], interpreter: undefined }).map((it) => it.kind),
    ["own"],
  );
  assert.deepEqual(places(NOTHING), []);
});

test("an untrusted workspace's interpreter is not run", () => {
  assert.deepEqual(places({ ...NOTHING, interpreter: "i", own: "o", isTrusted: false }), [
    { kind: "own", python: "o" },
  ]);
});

test("commands of places", () => {
  assert.deepEqual(commandOf({ kind: "own", python: "p" }), ["p", "-P", "-m", "copyspan_lsp"]);
  assert.deepEqual(commandOf({ kind: "setting", command: ["a", "b"] }), ["a", "b"]);
});

test("home and workspace in a command", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it in settings
  const command = ["~/bin/python", "a~b", "${workspaceFolder}/s.py"];
  assert.deepEqual(expanded(command, "/home/$&", "/w"), ["/home/$&/bin/python", "a~b", "/w/s.py"]);
});

test("what an interpreter answers", () => {
  assert.equal(verdict(readProbe('hello\n{"version": [3, 12, 1], "server": true, "venv": true}\n')), "ready");
  assert.equal(verdict(readProbe('{"version": [3, 12, 1], "server": false, "venv": true}')), "no server");
  assert.equal(verdict(readProbe('{"version": [3, 8, 0], "server": true, "venv": true}')), "old python");
  for (const output of ["", "Segmentation fault", "null", "[]", '{"version": 3}']) {
    assert.equal(verdict(readProbe(output)), "no python");
  }
});

test("the question is one that a real interpreter understands", () => {
  const probe = readProbe(execFileSync(process.env.PYTHON ?? "python3", ["-c", PROBE], { encoding: "utf8" }));
  assert.equal(probe?.version[0], 3);
});

test("versions compare as numbers", () => {
  assert.deepEqual([[3, 11], [3, 9], [4, 0], [2, 99], []].map(isNewEnough), [true, false, true, false, false]);
});

test("the chosen interpreter is the first to make an environment with", () => {
  assert.deepEqual(basePythons("/p", "linux")[0], ["/p"]);
  assert.deepEqual(basePythons(undefined, "win32")[0], ["py", "-3.13"]);
  assert.deepEqual(basePythons(undefined, "darwin").at(-1), ["python"]);
});

test("one run at a time, and one that waits", async () => {
  const ends: (() => void)[] = [];
  const serial = new Serial(() => new Promise<void>((resolve) => ends.push(resolve)));
  const first = serial.run();
  const [second, third] = [serial.run(), serial.run()];
  assert.equal(second, third);
  assert.equal(ends.length, 1);
  ends[0]?.();
  await first;
  await Promise.resolve();
  assert.equal(serial.pending === undefined, false);
  while (ends.length < 2) {
    await Promise.resolve();
  }
  ends[1]?.();
  await third;
  assert.equal(ends.length, 2);
  assert.equal(serial.pending, undefined);
});

test("a run that fails does not hold up the next", async () => {
  let runs = 0;
  const serial = new Serial(async () => {
    runs += 1;
    if (runs === 1) {
      throw new Error("no");
    }
  });
  const [first, second] = [serial.run(), serial.run()];
  await assert.rejects(first);
  await second;
  assert.equal(runs, 2);
});

test("a server that dies again and again is not started again", () => {
  const crashes = new Crashes();
  assert.deepEqual(
    [0, 1000, 2000, 3000].map((time) => crashes.note(time)),
    [true, true, true, false],
  );
  assert.equal(crashes.note(3000 + 181_000), true);
});

test("the server is told its own settings and no others", () => {
  const settings = serverSettings((name) => `value of ${name}`);
  assert.equal(settings.model, "value of model");
  assert.ok(!("server" in settings));
});
