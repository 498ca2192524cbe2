// Runs a suite inside VS Code's extension host, and ends with its exit code: node host.mjs EXTENSION SUITE
import { address, openBrowser, remote } from "./browser.mjs";

const [extension, suite] = process.argv.slice(2);
const { browser, page } = await openBrowser();
const ended = new Promise((resolve) => page.exposeFunction("codeAutomationExit", resolve));
await page.exposeFunction("codeAutomationLog", (kind, parts) => console.log(kind, ...parts));
await page.goto(
  address([
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(suite)],
  ]),
);
process.exitCode = await ended;
await browser.close();
