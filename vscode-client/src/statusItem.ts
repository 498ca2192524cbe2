/** The status item: the model, the device, what is going on, and how the last edit ended. */

import * as vscode from "vscode";
import { firstSentence } from "./core/messages";
import { statusText } from "./core/statusText";
import type { Server } from "./server";

const OUTCOME_MS = 10_000;

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("copyspan.status", vscode.StatusBarAlignment.Right, 100);
  private readonly watching: vscode.Disposable;
  private progress: string | undefined;
  private outcome: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "Copyspan";
    this.item.command = "copyspan.showActions";
    this.watching = vscode.Disposable.from(
      server.onDidChange(() => this.update()),
      server.bars.onDidChange((progress) => {
        this.progress = progress;
        this.update();
      }),
      server.bars.onDidEnd((outcome) => this.tell(outcome)),
    );
    this.update();
    this.item.show();
  }

  /** Say for a while how something ended. */
  tell(outcome: string): void {
    clearTimeout(this.timer);
    this.outcome = firstSentence(outcome);
    this.timer = setTimeout(() => {
      this.outcome = undefined;
      this.update();
    }, OUTCOME_MS);
    this.update();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watching.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { text, tooltip, isWarning } = statusText(this.server.state, this.server.status, this.progress);
    const isQuiet = this.server.state === "running" && this.progress === undefined && !isWarning;
    const outcome = isQuiet ? this.outcome : undefined;
    this.item.text = outcome === undefined ? text : `$(sparkle) ${outcome}`;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}
