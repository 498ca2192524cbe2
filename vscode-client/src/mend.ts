/** A server that does not run: what a person is told, and the buttons that mend it. */

import * as vscode from "vscode";
import { INSTALL_FIRST, INSTALLED, INSTALLING } from "./core/messages";
import type { Server } from "./server";
import { tell } from "./tell";

const INSTALL = "Install Server";
const SETTINGS = "Open Settings";
const LOG = "Show Log";

const COMMANDS: Record<string, readonly [string, ...unknown[]]> = {
  [INSTALL]: ["copyspan.installServer"],
  [SETTINGS]: ["workbench.action.openSettings", "copyspan.server"],
  [LOG]: ["copyspan.showLog"],
};

/** Whether the server runs; where it does not, a person is told why, with the mend. */
export async function ensureServer(server: Server): Promise<boolean> {
  if (await server.ready()) {
    return true;
  }
  if (server.state === "installing") {
    tell(INSTALLING);
    return false;
  }
  void offerMend(server);
  return false;
}

export async function sayInstalled(): Promise<void> {
  const select = "Select Model";
  if ((await vscode.window.showInformationMessage(INSTALLED, select)) === select) {
    await vscode.commands.executeCommand("copyspan.selectModel");
  }
}

export async function offerMend(server: Server): Promise<void> {
  const answer = await vscode.window.showWarningMessage(server.problem ?? INSTALL_FIRST, INSTALL, SETTINGS, LOG);
  const command = answer && COMMANDS[answer];
  if (command) {
    await vscode.commands.executeCommand(...command);
  }
}
