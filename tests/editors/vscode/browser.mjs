/**
 * A browser with VS Code in it, and what a person does there by keys and mouse.
 *
 * Knows VS Code's window, and nothing of copyspan. The environment says where things are: PLAYWRIGHT (a folder with
 * playwright-core), CHROMIUM, CODE_URL (a running code-server), WORKSPACE.
 */

import { strict as assert } from "node:assert";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";

const { CHROMIUM, CODE_URL, PLAYWRIGHT, WORKSPACE } = process.env;
const { chromium } = createRequire(`${PLAYWRIGHT}/`)("playwright-core");

const PATIENCE_MS = 30_000;
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** A line of the document; threads have editors of their own inside them. */
const LINE = ".editor-instance .view-line:not(.review-widget .view-line)";

/** A page that reaches this machine alone. */
export async function openBrowser(viewport = { width: 1000, height: 1200 }) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.route("**/*", (route) => {
    const isLocal = new URL(route.request().url()).hostname === "127.0.0.1";
    return isLocal ? route.continue() : route.abort();
  });
  return { browser, page };
}

/** The address of the workspace, with what VS Code is told beside it. */
export function address(payload) {
  return `${CODE_URL}/?folder=${encodeURIComponent(WORKSPACE)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

/** A path of this machine, as VS Code names it. */
export function remote(path) {
  return `vscode-remote://${new URL(CODE_URL).host}${path}`;
}

/** A window with one file of the workspace open in it. */
export async function openWindow(name) {
  const { browser, page } = await openBrowser();
  await page.goto(address([["openFile", remote(`${WORKSPACE}/${name}`)]]));
  await page.locator(".tab", { hasText: name }).waitFor();
  await page.locator(LINE).first().waitFor();
  return new Window(browser, page);
}

class Window {
  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
    this.threads = page.locator(".review-widget");
    this.input = page.locator('.quick-input-widget input[type="text"]');
    this.inputTitle = page.locator(".quick-input-title");
  }

  close() {
    return this.browser.close();
  }

  key(name) {
    return this.page.keyboard.press(name);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Run a command by the palette; it closes when something else takes the focus meanwhile, and is opened again then. */
  async command(title) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await insist(async (timeout) => {
      await this.key("F1");
      await this.input.fill(`>${title}`, { timeout });
      await row.waitFor({ timeout });
    });
    await this.key("Enter");
  }

  /** Put the cursor at the start of a line, counted from 1. */
  async goTo(line) {
    await insist(async (timeout) => {
      await this.key("Control+g");
      await this.input.fill(`:${line}`, { timeout });
      await this.key("Enter");
      await this.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col 1` }).waitFor({ timeout });
    });
  }

  /** Choose the first of the code actions at the cursor, which has to be this one. */
  async codeAction(title) {
    await insist(async (timeout) => {
      await this.key("Control+.");
      await this.page.locator(".action-widget .monaco-list-row.focused", { hasText: title }).waitFor({ timeout });
    });
    await this.key("Enter");
  }

  async focusEditor() {
    const box = await this.page.locator(LINE).first().boundingBox();
    await this.page.mouse.click(box.x + 1, box.y + box.height / 2);
  }

  /** The lines of the document, as they are drawn. */
  async text() {
    const lines = await this.page
      .locator(LINE)
      .evaluateAll((all) => all.map((it) => [Number.parseInt(it.style.top, 10), it.textContent]));
    return lines.sort(([a], [b]) => a - b).map(([, line]) => line.replaceAll("\u00a0", " "));
  }

  /** The titles of the comment threads, from above. */
  async titles() {
    const titles = await this.threads.evaluateAll((all) =>
      all.map((it) => [it.getBoundingClientRect().top, it.querySelector(".review-title")?.textContent ?? ""]),
    );
    return titles.sort(([a], [b]) => a - b).map(([, title]) => title);
  }

  expectText(lines) {
    return expect(() => this.text(), lines);
  }

  expectThreads(titles) {
    return expect(() => this.titles(), titles);
  }

  thread(title) {
    return this.threads.filter({ has: this.page.locator(".review-title", { hasText: title }) });
  }

  icons(label, threads = this.threads) {
    return threads.locator(`.review-actions [aria-label^="${label}"]`);
  }

  clickIcon(title, label) {
    return this.icons(label, this.thread(title)).click();
  }

  /** Click an icon beside the tabs, by the beginning of its label. */
  clickTitleIcon(label) {
    return this.page.locator(`.editor-actions [aria-label^="${label}"]`).click();
  }

  /** A picture of a smaller window, after a while in which everything comes to rest. */
  async picture(path, { of = this.page, rest = 1500 } = {}) {
    const viewport = this.page.viewportSize();
    await this.page.mouse.move(0, 0);
    await this.page.setViewportSize({ width: 1000, height: 640 });
    await this.page.waitForTimeout(rest);
    await of.screenshot({ path });
    await this.page.setViewportSize(viewport);
  }

  /** What is to be seen, for people who look for a fault. */
  async describe() {
    const told = await this.page.locator(".notification-toast").allTextContents();
    return [...(await this.titles()), ...told, ...(await this.text())].join("\n");
  }
}

/** Try until it works, for as long as a person would. */
async function insist(act) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await act(PATIENCE_MS / 10);
    } catch (error) {
      if (Date.now() >= end) {
        throw error;
      }
    }
  }
}

async function expect(read, wanted) {
  const end = Date.now() + PATIENCE_MS;
  while (!isDeepStrictEqual(await read(), wanted) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(await read(), wanted);
}
