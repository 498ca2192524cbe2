import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KNOWN_MODELS } from "../src/core/models";
import { SERVER_SETTINGS } from "../src/core/settings";

interface Entry {
  readonly command: string;
  readonly when?: string;
  readonly key?: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { commands, menus, keybindings, configuration } = manifest.contributes;
const ids: string[] = commands.map((it: Entry) => it.command);

test("menus and keys name commands that there are", () => {
  const used: Entry[] = [...Object.values<Entry[]>(menus).flat(), ...keybindings];
  for (const { command } of used) {
    assert.ok(ids.includes(command), command);
  }
});

test("every command is registered", () => {
  const code = readFileSync("src/extension.ts", "utf8");
  for (const id of ids) {
    assert.ok(code.includes(`"${id}"`), id);
  }
});

test("no command has the name of one of the server's", () => {
  for (const name of ["start", "apply", "applyNext", "cancel", "serverStatus", "download"]) {
    assert.ok(!ids.includes(`copyspan.${name}`), name);
  }
});

test("keys other than that of Edit act only during an edit or a preview", () => {
  for (const { command, when } of keybindings as Entry[]) {
    if (command !== "copyspan.edit") {
      assert.match(when ?? "", /^copyspan\.(hasPreview|isRunning) && editorTextFocus/);
    }
  }
});

test("who only reads a program rejects nothing by Escape", () => {
  const [byKey] = (keybindings as Entry[]).filter((it) => it.command === "copyspan.rejectAll");
  assert.match(byKey?.when ?? "", / && resourceScheme != 'copyspan-program' && /);
});

test("the settings are the server's and the server's command", () => {
  const names = Object.keys(configuration.properties).sort();
  assert.deepEqual(names, [...SERVER_SETTINGS, "server.command"].map((it) => `copyspan.${it}`).sort());
});

test("the default model is one of those that are offered", () => {
  assert.equal(KNOWN_MODELS[0]?.name, configuration.properties["copyspan.model"].default);
});

test("what runs a program cannot be set by an untrusted workspace", () => {
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("copyspan.server.command"));
});

test("where text is sent cannot be set by a workspace", () => {
  for (const name of ["serverUrl", "servedModel", "allowPlainHttp"]) {
    assert.equal(configuration.properties[`copyspan.${name}`].scope, "machine", name);
  }
});

test("the editor that is asked for is the one whose interface the code is checked against", () => {
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"]}`);
});
