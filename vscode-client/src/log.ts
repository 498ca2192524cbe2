/** The extension's log, which the server's messages go to as well. */

import * as vscode from "vscode";

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel("Copyspan", { log: true });
}

/** Run something whose failure nobody waits for; the log has it. */
export function inBackground(log: Log, work: Promise<unknown> | Thenable<unknown>): void {
  Promise.resolve(work).catch((error: unknown) => log.error(error instanceof Error ? error : String(error)));
}
