/**
 * The new lines of a preview, in the editor and outside its text: comment threads, one a hunk.
 *
 * The editor passes on updates of threads only after a pause of 100 ms, so that `show` must not be called more often.
 */

import * as vscode from "vscode";
import type { Card } from "./core/cards";
import { codeBlock } from "./core/fence";

/** What the editor shows in bold, where other extensions have a person's name. */
const NEW = { name: "New lines" };
const NONE = { name: "Deletion" };
const DELETED = "_These lines go away._";

export class Threads implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController("copyspan", "Copyspan");
  private readonly shown = new Map<string, Map<string, Shown>>();

  /** Show these cards of a document, and no others. */
  show(document: vscode.TextDocument, cards: readonly Card[]): void {
    const uri = document.uri.toString();
    const before = this.shown.get(uri) ?? new Map<string, Shown>();
    const after = new Map<string, Shown>();
    for (const card of cards) {
      const old = before.get(card.id);
      after.set(card.id, old === undefined ? this.create(document, card) : update(old, document, card));
      before.delete(card.id);
    }
    for (const { thread } of before.values()) {
      thread.dispose();
    }
    this.shown.set(uri, after);
    if (after.size === 0) {
      this.shown.delete(uri);
    }
  }

  /** The id of the card that a thread shows. */
  cardOf(thread: vscode.CommentThread): string | undefined {
    const cards = this.shown.get(thread.uri.toString()) ?? new Map<string, Shown>();
    return [...cards].find(([, shown]) => shown.thread === thread)?.[0];
  }

  dispose(): void {
    this.controller.dispose();
  }

  private create(document: vscode.TextDocument, card: Card): Shown {
    // Above the first line there is no line to stand below; the editor takes undefined for it, its typings do not.
    const range = card.below < 0 ? (undefined as unknown as vscode.Range) : placeOf(document, card);
    const thread = this.controller.createCommentThread(document.uri, range, []);
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return update({ thread, card: undefined }, document, card);
  }
}

interface Shown {
  readonly thread: vscode.CommentThread;
  readonly card: Card | undefined;
}

/** Only what is different is set: each setting redraws the thread. */
function update({ thread, card: old }: Shown, document: vscode.TextDocument, card: Card): Shown {
  if (old?.label !== card.label) {
    thread.label = card.label;
  }
  if (old?.isFinal !== card.isFinal) {
    thread.contextValue = card.isFinal ? "hunk" : "unfinished";
  }
  if (old === undefined || old.text !== card.text) {
    thread.comments = [commentOf(card.text, document.languageId)];
  }
  return { thread, card };
}

/** A thread without a comment would get a button that makes it go away, and its hunk invisible. */
function commentOf(text: string | undefined, languageId: string): vscode.Comment {
  const body = new vscode.MarkdownString(text === undefined ? DELETED : codeBlock(text, languageId));
  return { author: text === undefined ? NONE : NEW, mode: vscode.CommentMode.Preview, body };
}

/** An empty range: the editor colours all others, over the marks of the old lines. */
function placeOf(document: vscode.TextDocument, card: Card): vscode.Range {
  const last = Math.min(card.below, document.lineCount - 1);
  return new vscode.Range(last, 0, last, 0);
}
