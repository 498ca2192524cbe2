/** Commands that ask the server for an edit. */

import * as vscode from "vscode";
import { areCommentsVisible, maxLines } from "./configuration";
import { NO_EDITOR, NO_PROGRAM, NOTHING_TO_GO_ON, notEditable, UsageError } from "./core/messages";
import { EDIT, type EditResult, NEXT, type Range } from "./core/protocol";
import { SCHEMES } from "./core/settings";
import type { Instructions } from "./instruction";
import { ensureServer } from "./mend";
import type { Server } from "./server";
import type { Session } from "./session";
import type { Sessions } from "./sessions";
import type { VirtualDocuments } from "./virtualDocuments";

/** The argument of `copyspan.edit`, for keys of a person's own; everything may be left out. */
export interface EditWish {
  readonly instruction?: string;
}

/** The argument of the server's code action. */
interface AskArgument {
  readonly uri: string;
  readonly range: Range;
}

export class EditCommands {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly documents: VirtualDocuments,
    private readonly instructions: Instructions,
  ) {}

  async edit(wish?: EditWish): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      throw new UsageError(NO_EDITOR);
    }
    const { selection } = editor;
    const document = this.sessions.find(editor.document.uri)?.document ?? editor.document; // a diff is of a file
    const range = selection.isEmpty || document !== editor.document ? undefined : plain(selection);
    await this.ask(document, range, selection.active, wish?.instruction);
  }

  async editForCodeAction(argument: AskArgument): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(argument.uri));
    const { line, character } = argument.range.start;
    await this.ask(document, argument.range, new vscode.Position(line, character));
  }

  async nextCandidate(): Promise<void> {
    const session = this.sessions.active;
    const editId = session?.preview.result?.editId;
    if (session === undefined || editId === undefined) {
      throw new UsageError(NOTHING_TO_GO_ON);
    }
    if (await ensureServer(this.server)) {
      await this.run(session, NEXT, { editId });
    }
  }

  cancel(): void {
    const active = this.sessions.active;
    for (const session of active?.isRunning ? [active] : this.sessions.all) {
      session.cancel();
    }
  }

  async showProgram(): Promise<void> {
    const session = this.sessions.active;
    if (session?.preview.result === undefined) {
      throw new UsageError(NO_PROGRAM);
    }
    await this.documents.showProgram(session);
  }

  private async ask(
    document: vscode.TextDocument,
    range: Range | undefined,
    cursor: vscode.Position,
    given?: string,
  ): Promise<void> {
    if (!SCHEMES.some((scheme) => scheme === document.uri.scheme)) {
      throw new UsageError(notEditable(document.uri.scheme));
    }
    if (["failed", "installing"].includes(this.server.state) && !(await ensureServer(this.server))) {
      return; // rather than ask what to change, in vain
    }
    const starting = this.server.ready();
    const instruction = given ?? (await this.instructions.ask(titleOf(document, range, cursor)));
    await starting;
    if (instruction === undefined || !(await ensureServer(this.server))) {
      return;
    }
    const session = this.sessions.open(document);
    session.clear();
    await this.run(session, EDIT, {
      textDocument: { uri: document.uri.toString(), version: document.version },
      instruction,
      ...(range === undefined ? { position: { line: cursor.line, character: cursor.character } } : { range }),
    });
  }

  private async run(session: Session, method: string, params: object): Promise<void> {
    const result = await session.run(this.server, method, params);
    if (result === undefined) {
      return;
    }
    if (result.hunks.length === 0) {
      void this.tellNothing(result);
      return;
    }
    reveal(session);
    if (!areCommentsVisible()) {
      await this.documents.showDiff(session);
    }
  }

  private async tellNothing(result: EditResult): Promise<void> {
    const next = "Next Candidate";
    if ((await vscode.window.showInformationMessage(result.message, next)) === next) {
      await vscode.commands.executeCommand("copyspan.nextCandidate");
    }
  }
}

/** The first change comes into view, where none of it is; the cursor stays. */
function reveal(session: Session): void {
  const card = session.openCards[0];
  const editor = vscode.window.visibleTextEditors.find((it) => it.document === session.document);
  if (card !== undefined && editor !== undefined) {
    const line = Math.max(card.from, 0);
    const range = new vscode.Range(line, 0, Math.max(card.below, line), 0);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function titleOf(document: vscode.TextDocument, range: Range | undefined, cursor: vscode.Position): string {
  const name = document.uri.path.split("/").at(-1);
  if (range !== undefined) {
    const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
    const first = range.start.line + 1;
    return first === last ? `Edit line ${first} of ${name}` : `Edit lines ${first}-${last} of ${name}`;
  }
  return document.lineCount <= maxLines() ? `Edit ${name}` : `Edit the block around line ${cursor.line + 1} of ${name}`;
}

function plain(range: vscode.Range): Range {
  const { start, end } = range;
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
