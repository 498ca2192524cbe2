/** The key of an inference server. It lies in the editor's secret store and goes to our server's process alone. */

import * as vscode from "vscode";

const SECRET = "copyspan.serverKey";

export class ServerKey {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** What our server's process is to find in its environment. */
  async environment(): Promise<Record<string, string>> {
    const key = await this.secrets.get(SECRET);
    return key ? { COPYSPAN_API_KEY: key } : {};
  }

  /** Ask for a key; returns whether it is another one now. An empty one forgets the old. */
  async ask(): Promise<boolean> {
    const typed = await vscode.window.showInputBox({
      title: "Set the Inference Server's Key",
      prompt: "Kept in the editor's secret store. Leave it empty to forget the key.",
      password: true,
      ignoreFocusOut: true,
    });
    if (typed === undefined) {
      return false;
    }
    const key = typed.trim();
    await (key === "" ? this.secrets.delete(SECRET) : this.secrets.store(SECRET, key));
    return true;
  }
}
