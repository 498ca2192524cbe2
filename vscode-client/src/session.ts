/** One document's preview in the editor: follows its requests and its text, is drawn, and applied where accepted. */

import * as vscode from "vscode";
import { type Card, cardsOf, marksOf } from "./core/cards";
import type { TrackedHunk } from "./core/hunks";
import { NO_PREVIEW, NOT_APPLIED, OUT_OF_STEP, STILL_RUNNING, typedOver, UsageError } from "./core/messages";
import { Preview } from "./core/preview";
import type { EditResult } from "./core/protocol";
import type { OldLines } from "./marks";
import type { Server } from "./server";
import { tell } from "./tell";
import type { Threads } from "./threads";

/** The editor passes on updates of threads after a pause of 100 ms. */
const REPAINT_MS = 130;

export interface Canvas {
  readonly threads: Threads;
  readonly oldLines: OldLines;
}

export class Session implements vscode.Disposable {
  readonly preview: Preview;
  private readonly changed = new vscode.EventEmitter<void>();
  /** What is proposed, or whether anything runs, is different. */
  readonly onDidChange = this.changed.event;
  private source: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private cards: readonly Card[] = [];

  constructor(
    readonly document: vscode.TextDocument,
    private readonly canvas: Canvas,
  ) {
    this.preview = new Preview(document.version, document.getText());
  }

  get isRunning(): boolean {
    return this.source !== undefined;
  }

  /** The hunks that can be decided on, as they stand in the editor. */
  get openCards(): readonly Card[] {
    return this.isRunning ? [] : this.cards;
  }

  /**
   * Make a request and show what comes of it. Raises what the request raises. Resolves to undefined where a newer
   * request took its place.
   */
  async run(server: Server, method: string, params: object): Promise<EditResult | undefined> {
    this.cancel();
    const source = new vscode.CancellationTokenSource();
    this.source = source;
    this.preview.begin(this.document.version, this.document.getText());
    this.changed.fire();
    const [partialResultToken, workDoneToken] = [token("partial"), token("work")];
    const listening = server.listen(partialResultToken, workDoneToken, (value) => {
      if (this.source === source) {
        this.preview.follow(value.items);
        this.paintSoon();
      }
    });
    try {
      const full = { ...params, partialResultToken, workDoneToken };
      const result = await server.request<EditResult>(method, full, source.token);
      return this.source === source ? this.finish(result) : undefined;
    } finally {
      listening.dispose();
      source.dispose();
      if (this.source === source) {
        this.source = undefined;
        this.preview.end();
        this.paint();
      }
    }
  }

  cancel(): void {
    this.source?.cancel();
  }

  /** Write hunks into the document, all without a choice, as one step that can be undone. */
  async accept(ids?: readonly string[]): Promise<void> {
    const taken = this.take(ids);
    const edit = new vscode.WorkspaceEdit();
    for (const change of taken.flatMap((hunk) => hunk.edits)) {
      const range = new vscode.Range(this.document.positionAt(change.start), this.document.positionAt(change.stop));
      edit.replace(this.document.uri, range, change.text);
    }
    if (!(await vscode.workspace.applyEdit(edit))) {
      this.preview.restore(taken);
      this.paint();
      throw new Error(NOT_APPLIED);
    }
  }

  reject(ids?: readonly string[]): void {
    this.take(ids);
  }

  /** A new edit is asked for: what was proposed before goes away. */
  clear(): void {
    this.cancel();
    this.preview.clear();
    this.paint();
  }

  textChanged(event: vscode.TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0) {
      return;
    }
    const changes = event.contentChanges.map((change) => ({
      start: change.rangeOffset,
      stop: change.rangeOffset + change.rangeLength,
      text: change.text,
    }));
    const gone = this.preview.change(this.document.version, this.document.getText(), changes);
    if (gone > 0) {
      tell(typedOver(gone, this.preview.hunks.length));
    }
    this.paint();
  }

  /** Draw what is proposed, as it is now. */
  paint(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { proposal } = this.preview;
    const text = this.document.getText();
    this.cards = cardsOf(proposal, text);
    this.canvas.threads.show(this.document, this.cards);
    this.canvas.oldLines.show(this.document, marksOf(proposal.hunks, text));
    this.changed.fire();
  }

  dispose(): void {
    this.cancel();
    this.source = undefined;
    this.preview.clear();
    this.paint();
    this.changed.dispose();
  }

  private finish(result: EditResult): EditResult {
    this.source = undefined;
    const gone = this.preview.finish(result);
    if (gone > 0) {
      tell(typedOver(gone, this.preview.hunks.length));
    }
    this.paint();
    return result;
  }

  private take(ids: readonly string[] | undefined): readonly TrackedHunk[] {
    if (this.isRunning) {
      throw new UsageError(STILL_RUNNING);
    }
    if (!this.preview.isOf(this.document.version)) {
      throw new UsageError(OUT_OF_STEP);
    }
    const taken = this.preview.take(ids);
    if (taken.length === 0) {
      throw new UsageError(NO_PREVIEW);
    }
    this.paint();
    return taken;
  }

  private paintSoon(): void {
    this.timer ??= setTimeout(() => this.paint(), REPAINT_MS);
  }
}

let numTokens = 0;

function token(kind: string): string {
  numTokens += 1;
  return `copyspan-${kind}-${numTokens}`;
}
