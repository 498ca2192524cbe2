/** Documents that exist in the editor alone: the proposed text, beside the file's, and an edit's program. */

import * as vscode from "vscode";
import type { Session } from "./session";
import type { Sessions } from "./sessions";

const CURRENT = "copyspan-current";
const PROPOSED = "copyspan-proposed";
const PROGRAM = "copyspan-program";

/** The document that one of ours is about. */
export function originalOf(uri: vscode.Uri): vscode.Uri | undefined {
  return [CURRENT, PROPOSED, PROGRAM].includes(uri.scheme) ? vscode.Uri.parse(uri.query, true) : undefined;
}

export class VirtualDocuments implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations: vscode.Disposable;

  constructor(private readonly sessions: Sessions) {
    const provider = (read: (session: Session) => string): vscode.TextDocumentContentProvider => ({
      onDidChange: this.changed.event,
      provideTextDocumentContent: (uri) => {
        const session = this.sessions.find(uri);
        return session === undefined ? "" : read(session);
      },
    });
    this.registrations = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(
        CURRENT,
        provider((it) => it.document.getText()),
      ),
      vscode.workspace.registerTextDocumentContentProvider(
        PROPOSED,
        provider((it) => it.preview.proposedText),
      ),
      vscode.workspace.registerTextDocumentContentProvider(
        PROGRAM,
        provider((it) => it.preview.result?.program ?? ""),
      ),
      sessions.onDidChange((session) => this.update(session)),
    );
  }

  /** What the file is on the left, what it would be on the right. Both are copies: the file brings its threads along. */
  async showDiff({ document }: Session): Promise<void> {
    const [current, proposed] = [uriOf(CURRENT, document), uriOf(PROPOSED, document)];
    for (const uri of [current, proposed]) {
      const copy = await vscode.workspace.openTextDocument(uri);
      if (copy.languageId !== document.languageId) {
        await vscode.languages.setTextDocumentLanguage(copy, document.languageId);
      }
    }
    const title = `${nameOf(document)}: proposed change`;
    await vscode.commands.executeCommand("vscode.diff", current, proposed, title, { preview: true });
  }

  async showProgram(session: Session): Promise<void> {
    const uri = uriOf(PROGRAM, session.document);
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }

  dispose(): void {
    this.registrations.dispose();
    this.changed.dispose();
  }

  private update(session: Session): void {
    for (const scheme of [CURRENT, PROPOSED, PROGRAM]) {
      this.changed.fire(uriOf(scheme, session.document));
    }
    const isOver = !session.isRunning && session.preview.hunks.length === 0;
    const diffs = isOver ? diffsOf(session.document) : [];
    if (diffs.length > 0) {
      void vscode.window.tabGroups.close(diffs);
    }
  }
}

function uriOf(scheme: string, document: vscode.TextDocument): vscode.Uri {
  const path = document.uri.path.startsWith("/") ? document.uri.path : `/${document.uri.path}`;
  const suffix = scheme === PROGRAM ? ".program.xml" : "";
  return vscode.Uri.from({ scheme, path: path + suffix, query: document.uri.toString() });
}

function diffsOf(document: vscode.TextDocument): vscode.Tab[] {
  const shown = uriOf(PROPOSED, document).toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter((tab) => tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.toString() === shown);
}

function nameOf(document: vscode.TextDocument): string {
  return document.uri.path.split("/").at(-1) ?? "";
}
