/** How errors come to a person. */

import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import type { Log } from "./log";

/** What a person did themselves, and what the server tells them by a message of its own. */
const SILENT = ["RequestCancelled", "Superseded", "ModelMissing"];
/** The document went on, or nothing more was found: nothing is broken. */
const MILD = ["ContentModified", "NoMoreCandidates"];

export async function complain(error: unknown, log: Log): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const kind = kindOf(error);
  log.info(`${kind}: ${message}`);
  if (SILENT.includes(kind)) {
    return;
  }
  if (MILD.includes(kind)) {
    void vscode.window.showInformationMessage(message);
    return;
  }
  const answer = await vscode.window.showWarningMessage(message, "Show Log");
  if (answer !== undefined) {
    log.show();
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
