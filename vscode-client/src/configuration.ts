/** The settings as they are now. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import { expanded } from "./core/search";
import { serverSettings } from "./core/settings";

const SECTION = "copyspan";

function read<Value>(name: string, fallback: Value): Value {
  return vscode.workspace.getConfiguration(SECTION).get<Value>(name, fallback);
}

/** The server's own settings, as it reads them. */
export function settingsForServer(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return serverSettings((name) => configuration.get(name));
}

/** The command line that a person chose; empty where they did not. */
export function serverCommand(): readonly string[] {
  return expanded(read<string[]>("server.command", []), homedir(), workspaceFolder());
}

export function maxLines(): number {
  return read("maxLines", 300);
}

/** Set the model where it is set already, else for all workspaces. */
export async function setModel(model: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const isOfWorkspace = configuration.inspect("model")?.workspaceValue !== undefined;
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration.update("model", model, target);
}

export function model(): string {
  return read("model", "");
}

/** Comments are the preview's carrier; a person may have switched them off. */
export function areCommentsVisible(): boolean {
  return vscode.workspace.getConfiguration("comments").get("visible", true);
}

export function workspaceFolder(): string | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder?.scheme === "file" ? folder.fsPath : undefined;
}

/** Whether a change of settings asks for another server process. */
export function changesServer(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${SECTION}.server`);
}
