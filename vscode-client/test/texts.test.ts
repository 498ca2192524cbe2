import assert from "node:assert/strict";
import { test } from "node:test";
import { codeBlock } from "../src/core/fence";
import { meant, remembered } from "../src/core/history";
import { readLogLine } from "../src/core/logLine";
import { died, firstSentence, notInstalled, shortened, typedOver, whyNot } from "../src/core/messages";
import { shortName } from "../src/core/models";
import { installation, readPip } from "../src/core/pip";
import { progressText } from "../src/core/progressText";
import { statusText } from "../src/core/statusText";

test("a fence is longer than any in the text", () => {
  assert.equal(codeBlock("a", "python"), "```python\na\n```");
  assert.equal(codeBlock("a\n", "python"), "```python\na\n \n```");
  assert.equal(codeBlock("", "python"), "```python\n \n```");
  assert.equal(codeBlock("x\n  ````\ny", "python"), "`````python\nx\n  ````\ny\n`````");
  assert.equal(codeBlock("a", "not a language\n"), "```\na\n```");
});

test("instructions are remembered once, newest first, and not for ever", () => {
  assert.deepEqual(remembered(["a", "b"], "b"), ["b", "a"]);
  const many = Array.from({ length: 50 }, (_, i) => `${i}`);
  assert.equal(remembered(many, "new").length, 30);
});

test("Enter means what is typed, else what is chosen", () => {
  assert.deepEqual([meant(" rename ", "old"), meant(" ", "old"), meant("", undefined)], ["rename", "old", undefined]);
});

test("names of models are short", () => {
  const names = ["Qwen2.5-Coder-1.5B-Instruct", "Qwen/Qwen2.5-Coder-0.5B", "/models/tiny.gguf", "C:\\m\\big\\"];
  assert.deepEqual(names.map(shortName), ["Qwen2.5-Coder-1.5B", "Qwen2.5-Coder-0.5B", "tiny", "big"]);
});

test("what pip says", () => {
  assert.deepEqual(readPip("Collecting torch>=2.6 (from copyspan)"), { message: "looking for torch" });
  assert.deepEqual(readPip("  Downloading torch-2.9.0-cp311-linux.whl (899.7 MB)"), {
    message: "downloading torch (899.7 MB)",
    percent: 0,
  });
  assert.deepEqual(readPip("  Downloading https://x.org/a/numpy-2.1.0-cp311.whl"), {
    message: "downloading numpy",
    percent: 0,
  });
  assert.deepEqual(readPip("Progress 50 of 200"), { percent: 25 });
  assert.deepEqual(readPip("Installing collected packages: a, b"), { message: "installing the packages" });
  assert.equal(readPip("Progress 0 of 0"), undefined);
  assert.equal(readPip("Requirement already satisfied: a"), undefined);
});

test("pip is new enough before it is asked for lines that older ones refuse", () => {
  const [first, second, ...others] = installation("/env/python", "/x/copyspan.whl").map((it) => it.join(" "));
  assert.match(first ?? "", /^\/env\/python -m pip install .*pip>=24\.1$/);
  assert.doesNotMatch(first ?? "", /raw/);
  assert.match(second ?? "", /^\/env\/python -m pip install .*--progress-bar raw .*\/x\/copyspan\.whl$/);
  assert.deepEqual(others, []);
});

test("the status item shows model, device and what goes on", () => {
  const status = { state: "ready", model: "org/Big-Instruct", device: "cuda:0", queue: 0 } as const;
  assert.equal(statusText("running", status, undefined).text, "$(sparkle) Big cuda:0");
  assert.match(statusText("running", { ...status, state: "working" }, "3 of 9 lines copied").text, /spin/);
  assert.match(statusText("running", { ...status, state: "working", queue: 2 }, "3 of 9").tooltip, /3 of 9, 2 waiting/);
  assert.ok(statusText("running", { ...status, state: "missing" }, undefined).isWarning);
  assert.ok(statusText("failed", undefined, undefined).isWarning);
  assert.match(statusText("starting", undefined, undefined).text, /spin/);
});

test("the status item says where text is sent, before the first edit as well", () => {
  const status = { state: "unloaded", model: "m", queue: 0, server: "llm.example.org" } as const;
  assert.match(statusText("running", status, undefined).tooltip, /is sent to llm\.example\.org\.$/);
  const here = { state: "ready", model: "m", queue: 0 } as const;
  assert.doesNotMatch(statusText("running", here, undefined).tooltip, /sent/);
});

test("the status item says that the server is installed, and once that the model is missing", () => {
  const status = { state: "missing", model: "m", queue: 0 } as const;
  assert.match(statusText("installing", undefined, undefined).text, /spin.*Installing/);
  assert.match(statusText("running", status, undefined).tooltip, /not on this machine.\nClick to download it\.$/);
  const { tooltip } = statusText("running", { ...status, message: "m is not on this machine." }, undefined);
  assert.equal(tooltip.match(/not on this machine/g)?.length, 1);
});

test("progress never says its title again", () => {
  assert.equal(progressText("Downloading m", "Downloading m", 34), "34\u00a0%");
  assert.equal(progressText("Downloading m", "Converting m", 100), "Converting m");
  assert.equal(progressText("Editing", undefined, 3), undefined);
});

test("what the language client logs has one level", () => {
  assert.deepEqual(readLogLine("[Warn  - 7:45:12 PM] No\n[Info  - x] edit"), {
    level: "warn",
    message: "No\n[Info  - x] edit",
  });
  assert.deepEqual(readLogLine("[Unknown - 1] x"), { level: "info", message: "[Unknown - 1] x" });
});

test("messages count right", () => {
  assert.equal(typedOver(1, 0), "A proposed change was withdrawn, because its lines were edited.");
  assert.equal(typedOver(1, 1), "A proposed change was withdrawn, because its lines were edited. One is left.");
  assert.equal(typedOver(2, 3), "2 proposed changes were withdrawn, because their lines were edited. 3 are left.");
});

test("messages name what failed", () => {
  assert.match(whyNot({ kind: "setting", command: ["/no/such", "-m"] }, "no python"), /"\/no\/such"/);
  assert.match(whyNot({ kind: "interpreter", python: "/bin/py" }, "no server"), /\/bin\/py, has no copyspan package/);
  assert.match(whyNot({ kind: "own", python: "p" }, "old python"), /older than Python 3.11/);
  assert.match(notInstalled("ERROR: no torch"), /^Copyspan's server could not be installed: ERROR: no torch /);
  assert.equal(died(1, undefined), "Copyspan's server ended with code 1.");
  assert.match(died(null, "x".repeat(500)), /was ended\. Its last words: x+\.\.\.$/);
});

test("long texts are cut", () => {
  assert.equal(shortened("abcdef", 5), "ab...");
  assert.equal(shortened("abcde", 5), "abcde");
  assert.equal(firstSentence("Nothing in a.py (3 lines). Word it differently."), "Nothing in a.py (3 lines)");
  assert.equal(firstSentence("1.5 times"), "1.5 times");
});
