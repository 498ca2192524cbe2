/** Old lines that will go, marked in the editor. */

import * as vscode from "vscode";
import type { Marks } from "./core/cards";

export class OldLines implements vscode.Disposable {
  private readonly lines = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("minimapGutter.modifiedBackground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly words = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("diffEditor.removedTextBackground"),
  });

  /** In every editor that shows the document. */
  show(document: vscode.TextDocument, marks: Marks): void {
    const lines = marks.lines.map(({ first, last }) => new vscode.Range(first, 0, last, 0));
    const words = marks.words.map(
      ({ start, stop }) => new vscode.Range(document.positionAt(start), document.positionAt(stop)),
    );
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        editor.setDecorations(this.lines, lines);
        editor.setDecorations(this.words, words);
      }
    }
  }

  dispose(): void {
    this.lines.dispose();
    this.words.dispose();
  }
}
