/** The extension as VS Code runs it, against a scripted model: what a person would do by keys, and what comes of it. */

const { strict: assert } = require("node:assert");
const vscode = require("vscode");
const {
  Gate,
  ask,
  boxes,
  environments,
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
} = require("./harness.js");

const TEXT = 'def bill(total):\n    """A bill."""\n    return total + 1\n\n\ndef tip(total):\n    return total / 10\n';
const EDITED = TEXT.replaceAll("total", "amount");
const TASK = "replace total with amount";

const cases = {
  "a preview leaves the document as it is": async () => {
    const { document } = await open(TEXT);
    const { version } = document;
    await ask(TASK);
    assert.deepEqual(shown(), [
      "1: 1/3 - replace 1 line | def bill(amount):",
      "3: 2/3 - replace 1 line |     return amount + 1",
      "7: 3/3 - replace 2 lines | def tip(amount):\n    return amount / 10",
    ]);
    assert.ok([...threads].every((it) => it.contextValue === "hunk" && it.canReply === false));
    assert.deepEqual([document.getText(), document.version, document.isDirty], [TEXT, version, false]);
    await run("undo");
    assert.equal(document.getText(), TEXT);
    assert.deepEqual(messages, []);
  },

  "what was typed before a preview is what undo takes back after it": async () => {
    const { document } = await open(TEXT);
    await run("type", { text: "#" });
    await ask(TASK);
    await run("copyspan.rejectAll");
    assert.equal(document.getText(), `#${TEXT}`);
    await run("undo");
    assert.equal(document.getText(), TEXT);
    await run("redo");
    assert.equal(document.getText(), `#${TEXT}`);
  },

  "one hunk is accepted, another rejected, and one undo takes it back": async () => {
    const { document } = await open(TEXT);
    await ask(TASK);
    await run("copyspan.accept");
    assert.equal(document.getText(), TEXT.replace("total", "amount"));
    await run("copyspan.reject");
    assert.deepEqual(shown(), ["7: 1/1 - replace 2 lines | def tip(amount):\n    return amount / 10"]);
    assert.equal(document.getText(), TEXT.replace("total", "amount"));
    await run("undo");
    assert.equal(document.getText(), TEXT);
    await run("copyspan.accept");
    assert.equal(document.getText(), TEXT.replace("tip(total):\n    return total", "tip(amount):\n    return amount"));
    assert.deepEqual([shown(), messages], [[], []]);
  },

  "all is accepted at once, and undone at once": async () => {
    const { document } = await open(TEXT);
    await ask(TASK);
    await run("copyspan.acceptAll");
    assert.equal(document.getText(), EDITED);
    await run("undo");
    assert.deepEqual([document.getText(), document.isDirty], [TEXT, false]);
  },

  "keys go from hunk to hunk": async () => {
    const editor = await open(TEXT);
    await ask(TASK);
    const lines = [];
    for (const command of ["nextHunk", "nextHunk", "nextHunk", "previousHunk"]) {
      await run(`copyspan.${command}`);
      lines.push(editor.selection.active.line);
    }
    assert.deepEqual(lines, [2, 5, 0, 5]);
  },

  "lines are put in, above the first and below the last, and taken out": async () => {
    const { document } = await open("stay\ndrop\nstay");
    await ask("delete drop");
    assert.deepEqual(shown(), ["2: 1/1 - delete 1 line | _These lines go away._"]);
    await run("copyspan.accept");
    assert.equal(document.getText(), "stay\nstay");
    await ask("append more");
    await run("copyspan.acceptAll");
    assert.equal(document.getText(), "stay\nstay\nmore");
  },

  "line ends and characters beyond the basic plane stay as they are": async () => {
    const text = "a = '😀é', total\r\nb = 1\r\nc = '😀', total, '👩‍👩‍👧', total";
    const { document } = await open(text);
    await ask(TASK);
    await run("copyspan.accept");
    await run("copyspan.accept");
    assert.equal(document.getText(), text.replaceAll("total", "amount"));
  },

  "an edit is seen while it is written, and can be cancelled": async () => {
    const { document } = await open(TEXT);
    const gate = new Gate();
    const asked = ask(`${TASK} [at tip(amount until ${gate.path}]`);
    await until(() => shown().some((it) => it.includes("def tip(amount")), "the hunk that is being written");
    assert.ok([...threads].every((it) => it.contextValue !== "hunk"));
    assert.ok(shown().includes("1: 1/2 - replace 1 line | def bill(amount):"), shown().join());
    await run("copyspan.acceptAll"); // too early: a sentence says so
    assert.equal(messages.pop()?.message, "Nothing is proposed for this file.");
    await run("copyspan.cancelEdit");
    await asked;
    assert.deepEqual([shown(), messages, document.getText()], [[], [], TEXT]);
  },

  "typing above and below while the model works moves the edit": async () => {
    const editor = await open(TEXT);
    const gate = new Gate();
    editor.selection = new vscode.Selection(2, 0, 3, 0);
    const asked = ask(`${TASK} [until ${gate.path}]`);
    await type(editor, "def bill", "import os\n");
    await type(editor, "def tip", "# below\n");
    gate.open();
    await asked;
    assert.deepEqual(shown(), ["4: 1/1 - replace 1 line |     return amount + 1"]);
    await run("copyspan.acceptAll");
    const typed = `import os\n${TEXT.replace("def tip", "# below\ndef tip")}`;
    assert.equal(editor.document.getText(), typed.replace("total +", "amount +"));
  },

  "typing inside while the model works ends the edit": async () => {
    const editor = await open(TEXT);
    const gate = new Gate();
    const asked = ask(`${TASK} [until ${gate.path}]`);
    await type(editor, '"""A bill', "# mine\n");
    await asked;
    assert.equal(messages.length, 1);
    assert.match(messages[0].message, /changed while/);
    assert.deepEqual([shown(), editor.document.getText()], [[], TEXT.replace('"""A bill', '# mine\n"""A bill')]);
  },

  "typing beside hunks moves them, and typing in one withdraws it": async () => {
    const editor = await open(TEXT);
    await ask(TASK);
    await type(editor, "def bill", "import os\n");
    await type(editor, "def tip", "# between\n");
    await type(editor, "return total + 1", "x = ");
    assert.equal(messages.length, 1);
    assert.match(messages[0].message, /was withdrawn/);
    assert.deepEqual(
      [...threads].map((it) => it.label),
      ["1/2 - replace 1 line", "2/2 - replace 2 lines"],
    );
    const typed = editor.document.getText();
    await run("copyspan.acceptAll");
    assert.equal(editor.document.getText(), typed.replaceAll("(total)", "(amount)").replace("total /", "amount /"));
    await run("undo");
    assert.equal(editor.document.getText(), typed);
  },

  "the next candidate takes the place of the one before, applied or not": async () => {
    const { document } = await open(TEXT);
    await ask("replace total with amount or sum or price");
    assert.equal(shown()[0], "1: 1/3 - replace 1 line | def bill(amount):");
    await run("copyspan.nextCandidate");
    assert.deepEqual(shown(), [
      "3: 1/2 - replace 1 line |     return sum + 1",
      "7: 2/2 - replace 2 lines | def tip(sum):\n    return sum / 10",
    ]);
    await run("copyspan.acceptAll");
    assert.equal(document.getText(), TEXT.replaceAll("total", "sum").replace("sum", "total"));
    await run("copyspan.nextCandidate");
    await run("copyspan.acceptAll");
    assert.equal(
      document.getText(),
      `${TEXT.slice(0, TEXT.indexOf("tip"))}${TEXT.slice(TEXT.indexOf("tip")).replaceAll("total", "price")}`,
    );
    await run("copyspan.nextCandidate");
    assert.match(messages.pop()?.message, /No other candidate/);
  },

  "an edit without a change is told, and can be searched on": async () => {
    const { document } = await open(TEXT);
    presses.set("", "Next Candidate");
    await ask("replace absent with amount");
    const [nothing, none] = await until(() => messages.length === 2 && messages, "what the search found");
    assert.match(nothing.message, /would change nothing/);
    assert.deepEqual(nothing.buttons, ["Next Candidate"]);
    assert.match(none.message, /No other candidate/);
    assert.deepEqual([shown(), document.getText()], [[], TEXT]);
  },

  "an instruction comment has an action that makes the edit": async () => {
    const text = TEXT.replace('    """A bill."""\n', "    # ai: replace total with amount\n");
    const { document } = await open(text);
    const place = new vscode.Range(1, 6, 1, 6);
    const actions = await run("vscode.executeCodeActionProvider", document.uri, place, undefined, 5);
    const action = actions.find((it) => it.title === "AI edit: replace total with amount");
    assert.ok(action?.edit, actions.map((it) => it.title).join());
    assert.ok(await vscode.workspace.applyEdit(action.edit));
    assert.equal(document.getText(), EDITED.replace('    """A bill."""\n', ""));
    await run("undo");
    assert.equal(document.getText(), text);
  },

  "a selection has an action that asks what to change": async () => {
    const { document } = await open(TEXT);
    const actions = await run("vscode.executeCodeActionProvider", document.uri, new vscode.Range(2, 0, 3, 0));
    const { command } = actions.find((it) => it.title === "AI edit...");
    const asked = run(command.command, ...command.arguments);
    const pick = await until(() => picks[0], "the input");
    assert.match(pick.title, /^Edit line 3 of /);
    pick.value = TASK;
    await until(async () => {
      await run("workbench.action.acceptSelectedQuickOpenItem");
      return threads.size > 0;
    }, "the preview");
    await asked;
    assert.deepEqual(shown(), ["3: 1/1 - replace 1 line |     return amount + 1"]);
  },

  "the side-by-side diff shows all, and goes away with the last hunk": async () => {
    const { document } = await open(TEXT);
    await ask(TASK);
    await run("copyspan.showDiff");
    const input = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    await until(() => input() instanceof vscode.TabInputTextDiff, "the diff");
    const texts = [input().original, input().modified].map(async (uri) => {
      return (await vscode.workspace.openTextDocument(uri)).getText();
    });
    assert.deepEqual(await Promise.all(texts), [TEXT, EDITED]);
    await run("copyspan.acceptAll");
    await until(() => !(input() instanceof vscode.TabInputTextDiff), "the diff to go");
    assert.equal(document.getText(), EDITED);
  },

  "where comments are switched off, the diff is shown": async () => {
    await open(TEXT);
    await set("comments.visible", false);
    await ask(TASK);
    await set("comments.visible", undefined);
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
  },

  "a long file without a block at the cursor is refused, with the settings at hand": async () => {
    const { document } = await open("total = 1\n".repeat(400));
    await ask(TASK);
    assert.equal(messages.length, 1);
    assert.match(messages[0].message, /400 lines.*Select the lines/);
    assert.deepEqual(messages[0].buttons, ["Open Settings"]);
    assert.equal(document.isDirty, false);
  },

  "a missing model is told once, with a button": async () => {
    const { document } = await open(TEXT);
    await set("copyspan.model", "missing");
    await until(async () => {
      await ask(TASK);
      return messages.length > 0;
    }, "the server to have the setting, and to tell");
    await set("copyspan.model", undefined);
    assert.deepEqual(
      messages.map(({ message, buttons }) => [/missing is not on this machine/.test(message), buttons[0].title]),
      [[true, "Download"]],
    );
    assert.deepEqual([shown(), document.getText()], [[], TEXT]);
    await until(async () => {
      await ask(TASK);
      return threads.size === 3;
    }, "the model to be there again");
  },

  "the key of an inference server goes to the next server's process, and nowhere else": async () => {
    await open(TEXT);
    const found = async (...keys) => {
      typed.push(...keys);
      await run("copyspan.setServerKey");
      await ask(TASK);
      assert.equal(threads.size, 3);
      await run("copyspan.rejectAll");
      return environments.at(-1).COPYSPAN_API_KEY;
    };
    const before = programs.length;
    assert.equal(await found(" sk-of-the-suite "), "sk-of-the-suite");
    assert.equal(programs.length, before + 1);
    assert.equal(await found(undefined), "sk-of-the-suite");
    assert.equal(programs.length, before + 1, "who says nothing changes nothing");
    assert.equal(await found(""), undefined);
    assert.ok(boxes.every((box) => box.password === true && box.value === undefined));
    assert.ok(!JSON.stringify([log, messages]).includes("sk-of-the-suite"));
    assert.ok(!programs.some((program) => program.spawnargs.join(" ").includes("sk-of-the-suite")));
  },

  "a server that dies is started again": async () => {
    await open(TEXT);
    const dead = programs.at(-1);
    dead.kill("SIGKILL");
    await until(() => programs.at(-1) !== dead, "another server");
    await ask(TASK);
    assert.equal(threads.size, 3);
  },
};

exports.run = async () => {
  spy();
  await vscode.extensions.getExtension("copyspan.copyspan").activate();
  const failed = [];
  for (const [name, body] of Object.entries(cases)) {
    try {
      await body();
      console.log(`test: ok - ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`test: FAILED - ${name}\n${error.stack}\ntold: ${JSON.stringify(messages)}\nlog: ${log.join("\n")}`);
    }
    await tidy();
  }
  if (failed.length > 0) {
    throw new Error(`test: ${failed.length} of ${Object.keys(cases).length} failed`);
  }
};
