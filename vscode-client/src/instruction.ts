/** Asks what to change. What was asked before is offered again. */

import * as vscode from "vscode";
import { meant, remembered } from "./core/history";

const KEY = "instructions";

export class Instructions {
  constructor(private readonly memory: vscode.Memento) {}

  /** Undefined where a person thought better of it. */
  async ask(title: string): Promise<string | undefined> {
    const instruction = await pick(title, this.history);
    if (instruction !== undefined) {
      await this.memory.update(KEY, remembered(this.history, instruction));
    }
    return instruction;
  }

  private get history(): readonly string[] {
    return this.memory.get<string[]>(KEY, []);
  }
}

interface Item extends vscode.QuickPickItem {
  readonly instruction: string;
}

const EDIT_BUTTON = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Ask in other words" };

/** The list never offers both what is typed and what was asked before, so that Enter means one thing. */
function pick(title: string, history: readonly string[]): Promise<string | undefined> {
  const input = vscode.window.createQuickPick<Item>();
  const list = () => {
    const typed = input.value.trim();
    input.items = typed === "" ? history.map(pastItem) : [typedItem(typed)];
  };
  input.title = title;
  input.placeholder = "What to change, such as: rename total to amount";
  input.ignoreFocusOut = true;
  input.onDidChangeValue(list);
  input.onDidTriggerItemButton(({ item }) => {
    input.value = item.instruction;
    list();
  });
  list();
  return new Promise((resolve) => {
    input.onDidAccept(() => {
      const instruction = meant(input.value, input.activeItems[0]?.instruction);
      if (instruction !== undefined) {
        resolve(instruction);
        input.dispose();
      }
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}

function typedItem(instruction: string): Item {
  return { label: instruction, iconPath: new vscode.ThemeIcon("sparkle"), alwaysShow: true, instruction };
}

function pastItem(instruction: string): Item {
  return { label: instruction, iconPath: new vscode.ThemeIcon("history"), buttons: [EDIT_BUTTON], instruction };
}
