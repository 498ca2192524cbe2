/** The extension's log, which the server's messages go to as well. */

import * as vscode from "vscode";
import { readLogLine } from "./core/logLine";

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel("Copyspan", { log: true });
}

/** The log as the language client writes to it. */
export function outputOf(log: Log): vscode.OutputChannel {
  const appendLine = (line: string) => {
    const { level, message } = readLogLine(line);
    log[level](message);
  };
  return {
    name: log.name,
    append: appendLine,
    appendLine,
    replace: appendLine,
    clear: () => log.clear(),
    show: () => log.show(),
    hide: () => log.hide(),
    dispose: () => undefined,
  };
}

/** Run something whose failure nobody waits for; the log has it. */
export function inBackground(log: Log, work: Promise<unknown> | Thenable<unknown>): void {
  Promise.resolve(work).catch((error: unknown) => log.error(error instanceof Error ? error : String(error)));
}
