/** The previews of all open documents. */

import * as vscode from "vscode";
import { OldLines } from "./marks";
import { Session } from "./session";
import { Threads } from "./threads";
import { originalOf } from "./virtualDocuments";

export class Sessions implements vscode.Disposable {
  private readonly canvas = { threads: new Threads(), oldLines: new OldLines() };
  private readonly sessions = new Map<string, Session>();
  private lastActive: vscode.Uri | undefined;
  private readonly changed = new vscode.EventEmitter<Session>();
  readonly onDidChange = this.changed.event;
  private readonly watching = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument((event) => {
      this.sessions.get(event.document.uri.toString())?.textChanged(event); // not for the virtual documents about it
    }),
    vscode.workspace.onDidCloseTextDocument((document) => this.close(document.uri)),
    vscode.window.onDidChangeVisibleTextEditors(() => this.repaint()),
  );

  /** The preview of a document, or of the one that a virtual document of ours shows. */
  find(uri: vscode.Uri | undefined): Session | undefined {
    return uri && this.sessions.get((originalOf(uri) ?? uri).toString());
  }

  /** The preview of the document in the active editor; the output panel, an editor for VS Code, is none for people. */
  get active(): Session | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    this.lastActive = active?.scheme === "output" ? this.lastActive : active;
    return this.find(this.lastActive);
  }

  get all(): readonly Session[] {
    return [...this.sessions.values()];
  }

  /** The preview of a document, made where there is none. */
  open(document: vscode.TextDocument): Session {
    const known = this.find(document.uri);
    if (known !== undefined) {
      return known;
    }
    const session = new Session(document, this.canvas);
    session.onDidChange(() => this.changed.fire(session));
    this.sessions.set(document.uri.toString(), session);
    return session;
  }

  /** The session and hunk that a comment thread shows. */
  ofThread(thread: vscode.CommentThread): { readonly session: Session; readonly id: string } | undefined {
    const session = this.find(thread.uri);
    const id = this.canvas.threads.cardOf(thread);
    return session && id !== undefined ? { session, id } : undefined;
  }

  dispose(): void {
    this.watching.dispose();
    for (const session of this.all) {
      session.dispose();
    }
    this.canvas.threads.dispose();
    this.canvas.oldLines.dispose();
    this.changed.dispose();
  }

  private close(uri: vscode.Uri): void {
    this.sessions.get(uri.toString())?.dispose();
    this.sessions.delete(uri.toString());
  }

  private repaint(): void {
    for (const session of this.all) {
      session.paint();
    }
  }
}
