/** A person at VS Code's window, with the extension and a scripted model: node window.mjs */

import { strict as assert } from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWindow } from "./browser.mjs";
import { ask, attempt } from "./palette.mjs";

const { WORKSPACE } = process.env;
const NAME = "bill.py";
const TEXT = readFileSync(join(WORKSPACE, NAME), "utf8").split("\n");
const TASK = "replace total with amount";
const HUNKS = ["1/4 - replace 1 line", "2/4 - replace 2 lines", "3/4 - replace 1 line", "4/4 - replace 1 line"];

let numGates = 0;

/** A mark by which the model stops at a text of its answer, and what lets it go on. */
function stopAt(text) {
  numGates += 1;
  const path = join(WORKSPACE, "..", `gate-${numGates}`);
  return { mark: `[at ${text} until ${path}]`, goOn: () => writeFileSync(path, "") };
}

/** The first two, when the model writes the third. */
const WRITING = ["1/2 - replace 1 line", "2/2 - replace 2 lines", "writing..."];

const steps = {
  "accepts one hunk by the mouse, and the others by their key": async (window) => {
    await ask(window, NAME, TASK);
    await expectPreview(window, HUNKS);
    await window.clickIcon("2/4", "Accept");
    await window.expectText(replaced(TEXT, 6, 7));
    await window.key("Control+Enter");
    await window.expectText(replaced(TEXT, 1, TEXT.length));
    await window.key("Control+z");
    await window.key("Control+z");
    await window.expectText(TEXT);
  },

  "asks by the palette, and sees the edit while it is written": async (window) => {
    const { mark, goOn } = stopAt("self.a");
    await ask(window, NAME, `${TASK} ${mark}`);
    await window.expectThreads(WRITING);
    assert.match(await window.thread("writing...").textContent(), /self\.a/);
    assert.equal(await window.icons("Accept").count(), 0);
    assert.deepEqual(await window.text(), TEXT);
    goOn();
    await expectPreview(window, HUNKS);
    assert.deepEqual(await window.text(), TEXT);
  },

  "accepts one hunk by its key, rejects another by the mouse, and undoes it": async (window) => {
    await window.key("Alt+Enter");
    await window.expectText(replaced(TEXT, 4, 4));
    await window.expectThreads(["1/3 - replace 2 lines", "2/3 - replace 1 line", "3/3 - replace 1 line"]);
    await window.clickIcon("2/3", "Reject");
    await window.expectThreads(["1/2 - replace 2 lines", "2/2 - replace 1 line"]);
    await window.key("Escape"); // the focus is in the editor again: this rejects the rest
    await window.expectThreads([]);
    await window.expectText(replaced(TEXT, 4, 4));
    await window.key("Control+z");
    await window.expectText(TEXT);
  },

  "cancels by Escape": async (window) => {
    const { mark } = stopAt("self.a");
    await ask(window, NAME, `${TASK} ${mark}`);
    await window.expectThreads(WRITING);
    await window.key("Escape");
    await window.expectThreads([]);
    assert.deepEqual(await window.text(), TEXT);
  },

  "looks at all of it side by side": async (window) => {
    await ask(window, NAME, TASK);
    await expectPreview(window, HUNKS);
    await window.command("Copyspan: Show as Side-by-Side Diff");
    await window.page.locator(".monaco-diff-editor .char-insert").first().waitFor();
    await window.clickTitleIcon("Reject All");
    await window.page.locator(".monaco-diff-editor").waitFor({ state: "hidden" });
    await window.expectText(TEXT);
  },

  "carries out a comment by its code action": async (window) => {
    await window.goTo(11);
    await window.codeAction("AI edit: replace owner with holder");
    await window.expectText(replaced(TEXT, 12, 13, "owner", "holder").filter((line) => !line.includes("# ai:")));
    await window.key("Control+z");
    await window.expectText(TEXT);
  },
};

/** Lines `from` to `to`, counted from 1, with another word in the place of one. */
function replaced(lines, from, to, old = "total", now = "amount") {
  return lines.map((line, i) => (from <= i + 1 && i + 1 <= to ? line.replaceAll(old, now) : line));
}

/** An answer that can be decided on; while it is written, its hunks have no icons. */
async function expectPreview(window, titles) {
  await window
    .icons("Accept")
    .nth(titles.length - 1)
    .waitFor();
  await window.expectThreads(titles);
}

await attempt(await openWindow(NAME), steps);
