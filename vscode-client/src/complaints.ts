/** How errors come to a person. */

import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import { UsageError } from "./core/messages";
import type { Log } from "./log";
import { tell } from "./tell";

/** What a person did themselves, and what the server tells them by a message of its own. */
const SILENT = ["RequestCancelled", "Superseded", "ModelMissing"];
/** The document went on, or nothing more was found: nothing is broken, and the log has no more. */
const MILD = ["Cancelled", "ContentModified", "NoMoreCandidates"];

interface Mend {
  readonly button: string;
  readonly command: readonly [string, ...unknown[]];
}

const SHOW_LOG: Mend = { button: "Show Log", command: ["copyspan.showLog"] };
const MENDS: Readonly<Record<string, Mend>> = {
  // A model or a length that the settings name; the log has no more than the message.
  UsageError: { button: "Open Settings", command: ["workbench.action.openSettings", "@ext:copyspan.copyspan"] },
};

export async function complain(error: unknown, log: Log): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const kind = kindOf(error);
  log.info(`${kind}: ${message}`);
  if (SILENT.includes(kind)) {
    return;
  }
  if (MILD.includes(kind) || error instanceof UsageError) {
    tell(message);
    return;
  }
  const { button, command } = MENDS[kind] ?? SHOW_LOG;
  if ((await vscode.window.showWarningMessage(message, button)) !== undefined) {
    await vscode.commands.executeCommand(...command);
  }
}

/** The server's name for an error; "Error" for those of other origin. */
function kindOf(error: unknown): string {
  if (!(error instanceof ResponseError)) {
    return error instanceof vscode.CancellationError ? "RequestCancelled" : "Error";
  }
  const data: unknown = error.data;
  const kind = (data as { kind?: string } | undefined)?.kind;
  return kind ?? (error.code === LSPErrorCodes.RequestCancelled ? "RequestCancelled" : "Error");
}
