/** What a click on the status item offers, and the choice of a model. */

import * as vscode from "vscode";
import { model, setModel } from "./configuration";
import { KNOWN_MODELS } from "./core/models";
import { DOWNLOAD } from "./core/protocol";
import type { Server } from "./server";
import type { Sessions } from "./sessions";

interface Action extends vscode.QuickPickItem {
  readonly command: string;
}

export async function showActions(server: Server, sessions: Sessions): Promise<void> {
  const options = { title: titleOf(server), placeHolder: "What to do" };
  const picked = await vscode.window.showQuickPick(actions(server, sessions), options);
  if (picked !== undefined) {
    await vscode.commands.executeCommand(picked.command);
  }
}

function actions(server: Server, sessions: Sessions): readonly Action[] {
  const session = sessions.active;
  const isAnyRunning = sessions.all.some((it) => it.isRunning);
  const hasPreview = (session?.openCards.length ?? 0) > 0;
  const all: readonly [boolean, string, string][] = [
    [
      server.state === "failed" || server.state === "off",
      "$(desktop-download) Install Server",
      "copyspan.installServer",
    ],
    [server.status?.state === "missing", "$(cloud-download) Download Model", "copyspan.downloadModel"],
    [isAnyRunning, "$(debug-stop) Cancel", "copyspan.cancelEdit"],
    [hasPreview, "$(check-all) Accept All", "copyspan.acceptAll"],
    [hasPreview, "$(discard) Reject All", "copyspan.rejectAll"],
    [hasPreview, "$(diff) Show as Side-by-Side Diff", "copyspan.showDiff"],
    [session?.preview.result !== undefined, "$(refresh) Next Candidate", "copyspan.nextCandidate"],
    [session?.preview.result !== undefined, "$(code) Show Program", "copyspan.showProgram"],
    [!isAnyRunning, "$(sparkle) Edit...", "copyspan.edit"],
    [true, "$(chip) Select Model", "copyspan.selectModel"],
    [true, "$(debug-restart) Restart Server", "copyspan.restartServer"],
    [true, "$(output) Show Log", "copyspan.showLog"],
  ];
  return all.filter(([isOffered]) => isOffered).map(([, label, command]) => ({ label, command }));
}

function titleOf(server: Server): string {
  const { status } = server;
  const device = status?.device === undefined ? "" : ` on ${status.device}`;
  return status === undefined ? "Copyspan" : `Copyspan: ${status.model}${device}`;
}

export async function selectModel(): Promise<void> {
  const current = model();
  const known = KNOWN_MODELS.map(({ name, about }) => ({ label: name, detail: about }));
  const own = known.some((it) => it.label === current) ? [] : [{ label: current, detail: "as it is set" }];
  const other = { label: "Another...", detail: "a Hugging Face id, a folder with a model, or a GGUF file" };
  const options = { title: "Select Model", placeHolder: `The model is ${current}` };
  const picked = await vscode.window.showQuickPick([...own, ...known, other], options);
  const name = picked === other ? await nameOfOther(current) : picked?.label;
  if (name && name !== current) {
    await setModel(name);
  }
}

async function nameOfOther(current: string): Promise<string | undefined> {
  const prompt = "A Hugging Face id, a folder with a model, or a GGUF file, on the machine where the server runs";
  const typed = await vscode.window.showInputBox({ title: "Select Model", prompt, value: current });
  return typed?.trim();
}

export async function downloadModel(server: Server): Promise<void> {
  await server.request(DOWNLOAD, {});
}
