/** Tells a person something that needs no answer. */

import * as vscode from "vscode";

/** A message without a button is cut off at about this length. */
const SHORT = 60;

export function tell(message: string): void {
  void vscode.window.showInformationMessage(message, ...(message.length > SHORT ? ["OK"] : []));
}
