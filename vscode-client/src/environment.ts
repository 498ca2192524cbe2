/** The extension's own Python environment: where it lies, and whether it is there. */

import { access, mkdir, rename, rm } from "node:fs/promises";
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

  /**
   * Make a new environment in the place of the old one, which comes back where that fails or is cancelled.
   *
   * A folder that is moved and moved back still works: it is only ever called at its own place.
   */
  async replace(make: () => Promise<void>): Promise<void> {
    const old = `${this.folder}-old`;
    await remove(old);
    const hadOne = await rename(this.folder, old).then(
      () => true,
      () => false,
    );
    try {
      await remove(this.folder);
      await make();
    } catch (error) {
      await remove(this.folder);
      if (hadOne) {
        await rename(old, this.folder);
      }
      throw error;
    }
    await remove(old);
  }

  async isInstalled(): Promise<boolean> {
    return access(this.mark).then(
      () => true,
      () => false,
    );
  }
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
