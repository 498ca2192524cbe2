/**
 * A person at VS Code's window, with the extension and a real model: node real.mjs
 *
 * SCREENSHOTS names a folder for pictures of what they see.
 */

import { strict as assert } from "node:assert";
import { join } from "node:path";
import { openWindow } from "./browser.mjs";
import { ask, attempt, status } from "./palette.mjs";

const { SCREENSHOTS } = process.env;
const NAME = "bill.py";
const LOAD_AND_EDIT_MS = 400_000;

await attempt(await openWindow(NAME), {
  "asks by the palette, sees the preview, accepts it, and takes it back": async (window) => {
    const text = await window.text();
    await ask(window, NAME, "Rename rate to vat.", () => picture(window, "ask"));
    await window.thread(" - ").first().waitFor({ timeout: LOAD_AND_EDIT_MS });
    await picture(window, "streaming", { rest: 0 });
    await window.icons("Accept").first().waitFor({ timeout: LOAD_AND_EDIT_MS });
    assert.deepEqual(await window.text(), text);
    assert.match(await status(window).textContent(), /lines changed/);
    await picture(window, "status", { of: window.page.locator(".statusbar .right-items"), rest: 0 });
    await picture(window, "preview");
    await window.command("Copyspan: Show as Side-by-Side Diff");
    await window.page.locator(".monaco-diff-editor .char-insert").first().waitFor();
    await picture(window, "diff");
    await window.clickTitleIcon("Accept All");
    await window.page.locator(".monaco-diff-editor").waitFor({ state: "hidden" });
    await window.expectThreads([]);
    const edited = (await window.text()).join("\n");
    assert.match(edited, /^def bill\(total, vat\)/m);
    assert.doesNotMatch(edited, /\brate\b/);
    await window.key("Control+z");
    await window.expectText(text);
  },
});

async function picture(window, name, how) {
  if (SCREENSHOTS) {
    await window.picture(join(SCREENSHOTS, `${name}.png`), how);
  }
}
