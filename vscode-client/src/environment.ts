/** The extension's own Python environment: where it lies, and whether it is there. */

import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type * as vscode from "vscode";

export class Environment {
  /** A folder of ours that exists; programs run in it, so that nothing of the workspace gets in their way. */
  readonly home: string;
  readonly folder: string;

  constructor(context: vscode.ExtensionContext) {
    this.home = context.globalStorageUri.fsPath;
    this.folder = join(this.home, "server");
  }

  get python(): string {
    return process.platform === "win32"
      ? join(this.folder, "Scripts", "python.exe")
      : join(this.folder, "bin", "python");
  }

  /** Written when the installation is complete. */
  get mark(): string {
    return join(this.folder, "installed.txt");
  }

  async prepare(): Promise<void> {
    await mkdir(this.home, { recursive: true });
  }

  async isInstalled(): Promise<boolean> {
    return access(this.mark).then(
      () => true,
      () => false,
    );
  }
}
