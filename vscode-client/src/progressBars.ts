/** Progress of the server, as notifications that can cancel. What is over in a moment shows none. */

import * as vscode from "vscode";
import type {
  ProgressToken,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressReport,
} from "vscode-languageclient/node";
import { progressText } from "./core/progressText";

const PATIENCE_MS = 700;

export type Value = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

export class ProgressBars implements vscode.Disposable {
  private readonly bars = new Map<ProgressToken, Bar>();
  private readonly changed = new vscode.EventEmitter<string | undefined>();
  private readonly ended = new vscode.EventEmitter<string>();
  /** The newest words of what runs; undefined where nothing does. */
  readonly onDidChange = this.changed.event;
  /** The last words of what is over. */
  readonly onDidEnd = this.ended.event;

  constructor(private readonly cancel: (token: ProgressToken) => void) {}

  handle(token: ProgressToken, value: Value): void {
    switch (value.kind) {
      case "begin":
        this.bars.get(token)?.end();
        this.bars.set(token, new Bar(value, () => this.cancel(token)));
        this.changed.fire(value.title);
        break;
      case "report":
        this.changed.fire(this.bars.get(token)?.report(value));
        break;
      case "end":
        this.finish(token);
        if (value.message) {
          this.ended.fire(value.message);
        }
    }
  }

  /** The server is gone, and what it was doing. */
  clear(): void {
    for (const token of [...this.bars.keys()]) {
      this.finish(token);
    }
  }

  dispose(): void {
    this.clear();
    this.changed.dispose();
    this.ended.dispose();
  }

  private finish(token: ProgressToken): void {
    this.bars.get(token)?.end();
    this.bars.delete(token);
    if (this.bars.size === 0) {
      this.changed.fire(undefined);
    }
  }
}

class Bar {
  private message: string | undefined;
  private shown = 0;
  private percentage = 0;
  private notification: vscode.Progress<{ message?: string; increment?: number }> | undefined;
  private close: () => void = () => undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly begin: WorkDoneProgressBegin,
    cancel: () => void,
  ) {
    this.message = begin.message;
    this.timer = setTimeout(() => this.open(cancel), PATIENCE_MS);
  }

  /** Returns the newest words. */
  report(value: WorkDoneProgressReport): string | undefined {
    this.percentage = Math.max(value.percentage ?? 0, this.percentage);
    this.message = progressText(this.begin.title, value.message, this.percentage) ?? this.message;
    this.tell();
    return this.message;
  }

  end(): void {
    clearTimeout(this.timer);
    this.close();
  }

  private open(cancel: () => void): void {
    const location = vscode.ProgressLocation.Notification;
    const cancellable = this.begin.cancellable ?? false;
    void vscode.window.withProgress(
      { location, title: `Copyspan: ${this.begin.title}`, cancellable },
      (progress, token) =>
        new Promise<void>((resolve) => {
          this.close = resolve;
          this.notification = progress;
          token.onCancellationRequested(cancel);
          this.tell();
        }),
    );
  }

  private tell(): void {
    const increment = this.percentage - this.shown;
    this.notification?.report({
      ...(this.message === undefined ? {} : { message: this.message }),
      ...(increment > 0 ? { increment } : {}),
    });
    if (this.notification !== undefined) {
      this.shown = this.percentage;
    }
  }
}
