/** Context keys: what can be done in the active editor, so that keys and menus act only then. */

import * as vscode from "vscode";
import type { Sessions } from "./sessions";

export class ContextKeys implements vscode.Disposable {
  private readonly known = new Map<string, boolean>();
  private readonly watching: vscode.Disposable;

  constructor(private readonly sessions: Sessions) {
    this.watching = vscode.Disposable.from(
      sessions.onDidChange(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
    );
    this.update();
  }

  dispose(): void {
    this.watching.dispose();
  }

  private update(): void {
    const session = this.sessions.active;
    const isRunning = session?.isRunning ?? false;
    this.set("copyspan.isRunning", isRunning);
    this.set("copyspan.hasPreview", !isRunning && (session?.preview.hunks.length ?? 0) > 0);
    this.set("copyspan.hasResult", !isRunning && session?.preview.result !== undefined);
  }

  private set(key: string, value: boolean): void {
    if (this.known.get(key) !== value) {
      this.known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}
