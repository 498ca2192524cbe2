/** What a model has written of its answer so far, put together from partial results. */

import type { Hunk, PartialResult, Scope } from "./protocol";

export interface Answer {
  /** The version that all lines and ranges are in. */
  readonly version: number;
  readonly scope: Scope;
  readonly hunks: readonly Hunk[];
  /** New text before line `line` that belongs to no complete hunk yet. */
  readonly writing: { readonly line: number; readonly text: string } | undefined;
}

/** The answer after one more item; a new answer makes what was told of an earlier one void. */
export function follow(answer: Answer | undefined, item: PartialResult): Answer | undefined {
  if (item.kind === "answer") {
    return { version: item.textDocument.version, scope: item.scope, hunks: [], writing: undefined };
  }
  if (answer === undefined) {
    return undefined;
  }
  switch (item.kind) {
    case "copied":
      return { ...answer, writing: undefined };
    case "hunk":
      return { ...answer, hunks: [...answer.hunks, item.hunk], writing: undefined };
    case "text": {
      const before = answer.writing?.line === item.line ? answer.writing.text : "";
      return { ...answer, writing: { line: item.line, text: before + item.text } };
    }
  }
}
