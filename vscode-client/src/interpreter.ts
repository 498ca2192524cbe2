/** The Python interpreter that the Python extension has chosen, where that extension is there. */

import * as vscode from "vscode";

/** The part of ms-python.python's public interface that is used here. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      path: unknown,
    ): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const api = await vscode.extensions.getExtension<PythonApi>("ms-python.python")?.activate();
  return api?.environments === undefined ? undefined : api;
}

export async function chosenInterpreter(): Promise<string | undefined> {
  const environments = (await pythonApi())?.environments;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const resolved = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return resolved?.executable.uri?.fsPath;
}

/** Calls `changed` when a person chooses another interpreter. */
export async function watchInterpreter(changed: () => unknown): Promise<vscode.Disposable> {
  const api = await pythonApi();
  return api?.environments.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => undefined);
}
