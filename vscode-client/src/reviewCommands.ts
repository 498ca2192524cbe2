/** Commands by which a person decides on what is proposed: by key for the hunk at the cursor, by mouse for any. */

import * as vscode from "vscode";
import type { Card } from "./core/cards";
import { NO_PREVIEW, UsageError } from "./core/messages";
import { hunkAfter, hunkAt, hunkBefore } from "./core/pick";
import type { Session } from "./session";
import type { Sessions } from "./sessions";
import type { VirtualDocuments } from "./virtualDocuments";

export class ReviewCommands {
  constructor(
    private readonly sessions: Sessions,
    private readonly documents: VirtualDocuments,
  ) {}

  async accept(thread?: vscode.CommentThread): Promise<void> {
    const { session, id } = this.chosen(thread);
    await session.accept([id]);
    await this.goOn(session, thread);
  }

  async reject(thread?: vscode.CommentThread): Promise<void> {
    const { session, id } = this.chosen(thread);
    session.reject([id]);
    await this.goOn(session, thread);
  }

  async acceptAll(): Promise<void> {
    await this.session().accept();
    await focusEditor();
  }

  async rejectAll(): Promise<void> {
    this.session().reject();
    await focusEditor();
  }

  async goToNext(): Promise<void> {
    await go(this.session(), hunkAfter);
  }

  async goToPrevious(): Promise<void> {
    await go(this.session(), hunkBefore);
  }

  async showDiff(): Promise<void> {
    await this.documents.showDiff(this.session());
  }

  /** The preview in the active editor. */
  private session(): Session {
    const session = this.sessions.active;
    if (session === undefined || session.openCards.length === 0) {
      throw new UsageError(NO_PREVIEW);
    }
    return session;
  }

  private chosen(thread: vscode.CommentThread | undefined): { session: Session; id: string } {
    const shown = thread && this.sessions.ofThread(thread);
    if (shown !== undefined) {
      return shown;
    }
    const session = this.session();
    const card = hunkAt(session.openCards, cursorLine(session));
    if (card === undefined) {
      throw new UsageError(NO_PREVIEW);
    }
    return { session, id: card.id };
  }

  /** By key, the next hunk is the next to decide on; the mouse is where it wants to be. */
  private async goOn(session: Session, thread: vscode.CommentThread | undefined): Promise<void> {
    await focusEditor();
    if (thread === undefined && session.openCards.length > 0) {
      await go(session, (cards, line) => hunkAfter(cards, line - 1));
    }
  }
}

async function go(session: Session, choose: (cards: readonly Card[], line: number) => Card | undefined): Promise<void> {
  const card = choose(session.openCards, cursorLine(session));
  const editor = editorOf(session);
  if (card === undefined || editor === undefined) {
    return;
  }
  const line = Math.max(card.from, 0);
  const cursor = new vscode.Position(line, editor.document.lineAt(line).firstNonWhitespaceCharacterIndex);
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  editor.selection = new vscode.Selection(cursor, cursor);
  const range = new vscode.Range(line, 0, Math.max(card.below, line), 0);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Where a person sees the preview, be the focus there or in a panel. */
function editorOf(session: Session): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  const shows = (editor: vscode.TextEditor) => editor.document === session.document;
  return active && shows(active) ? active : vscode.window.visibleTextEditors.find(shows);
}

function cursorLine(session: Session): number {
  return editorOf(session)?.selection.active.line ?? 0;
}

/** A thread that goes away takes the focus with it, and the keys would go nowhere. */
async function focusEditor(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
}
