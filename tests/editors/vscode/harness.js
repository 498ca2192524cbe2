/**
 * What the suite looks through and acts with: spies on the interface that the extension sees, and documents of its own.
 *
 * It has to lie inside the extension's folder, so that VS Code gives it the same `vscode` as the extension, and to be
 * loaded before the extension is activated.
 */

const { strict: assert } = require("node:assert");
const processes = require("node:child_process");
const { mkdtempSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const vscode = require("vscode");

const PATIENCE_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), "suite-"));

/** Comment threads that exist now, in the order of their making. */
const threads = new Set();
/** Programs that were started. */
const programs = [];
/** What each of them found in its environment. */
const environments = [];
/** Boxes for a line of text that were opened. */
const boxes = [];
/** What a person types into the next ones; undefined is Escape. */
const typed = [];
/** What people were told, each with the buttons that were offered. */
const messages = [];
/** Quick picks that were opened. */
const picks = [];
/** What the extension logged. */
const log = [];
/** The button that a person presses, by the words of a message; none by default. */
const presses = new Map();

function spy() {
  const { spawn } = processes;
  processes.spawn = (...parameters) => {
    const program = spawn(...parameters);
    programs.push(program);
    environments.push(parameters[2]?.env ?? {});
    return program;
  };
  const { createCommentController } = vscode.comments;
  vscode.comments.createCommentController = (...parameters) => {
    const controller = createCommentController(...parameters);
    return {
      dispose: () => controller.dispose(),
      createCommentThread: (...place) => followed(controller.createCommentThread(...place)),
    };
  };
  for (const name of ["showInformationMessage", "showWarningMessage", "showErrorMessage"]) {
    vscode.window[name] = async (message, ...buttons) => {
      messages.push({ message, buttons });
      const pressed = [...presses].find(([words]) => message.includes(words))?.[1];
      return buttons.find((button) => (button.title ?? button) === pressed);
    };
  }
  vscode.window.showInputBox = async (options) => {
    boxes.push(options);
    return typed.shift();
  };
  const { createQuickPick, createOutputChannel } = vscode.window;
  vscode.window.createOutputChannel = (...parameters) => {
    const channel = createOutputChannel(...parameters);
    for (const level of ["trace", "debug", "info", "warn", "error"]) {
      const write = channel[level].bind(channel);
      channel[level] = (message, ...rest) => {
        log.push(`${level}: ${message}`);
        write(message, ...rest);
      };
    }
    return channel;
  };
  vscode.window.createQuickPick = () => {
    const pick = createQuickPick();
    picks.push(pick);
    return pick;
  };
}

function followed(thread) {
  const dispose = thread.dispose.bind(thread);
  threads.add(thread);
  thread.dispose = () => {
    threads.delete(thread);
    dispose();
  };
  return thread;
}

/** Wait for a condition; its value. */
async function until(condition, what) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await condition();
    if (value) {
      return value;
    }
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Something that a mark of the scripted model waits for. */
class Gate {
  static count = 0;

  constructor() {
    Gate.count += 1;
    this.path = join(folder, `gate-${Gate.count}`);
  }

  open() {
    writeFileSync(this.path, "");
  }
}

let numDocuments = 0;

/** A new file, open in the editor with the cursor at its start. */
async function open(text, suffix = ".py") {
  numDocuments += 1;
  const path = join(folder, `document-${numDocuments}${suffix}`);
  writeFileSync(path, text);
  return vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
}

/** Drop what is proposed, close all editors without a question, and forget what was seen. */
async function tidy() {
  if (threads.size > 0) {
    await run("copyspan.rejectAll");
  }
  while (vscode.window.tabGroups.all.some((group) => group.tabs.length > 0)) {
    await run("workbench.action.revertAndCloseActiveEditor");
  }
  threads.clear();
  boxes.length = 0;
  log.length = 0;
  messages.length = 0;
  picks.length = 0;
  presses.clear();
}

const run = vscode.commands.executeCommand;

/** Ask for an edit; resolves when it is over. */
const ask = (instruction) => run("copyspan.edit", { instruction });

/** The threads from above, each as "3: label | new lines", where 3 is the line that it was put below, counted from 1. */
function shown() {
  const below = (thread) => (thread.range?.end.line ?? -1) + 1;
  return [...threads]
    .sort((a, b) => below(a) - below(b))
    .map((thread) => `${below(thread)}: ${thread.label} | ${thread.comments.map(bodyOf).join("")}`);
}

function bodyOf(comment) {
  const { value } = comment.body;
  return /^(```+)\w*\n([\s\S]*)\n\1$/.exec(value)?.[2] ?? value;
}

/** Type a text as an editor does, somewhere in the document. */
async function type(editor, before, text) {
  const at = editor.document.getText().indexOf(before);
  assert.ok(at >= 0, before);
  const place = editor.document.positionAt(at);
  assert.ok(await editor.edit((builder) => builder.insert(place, text)));
}

async function set(name, value) {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

module.exports = {
  ask,
  boxes,
  environments,
  Gate,
  log,
  messages,
  open,
  picks,
  presses,
  programs,
  run,
  set,
  shown,
  spy,
  threads,
  tidy,
  type,
  typed,
  until,
};
