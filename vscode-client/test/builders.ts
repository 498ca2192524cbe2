/** Short ways to write down documents, hunks and results. */

import { type TrackedHunk, track } from "../src/core/hunks";
import { LineIndex } from "../src/core/lines";
import type { EditResult, Hunk, PartialResult } from "../src/core/protocol";
import { applied, type Change } from "../src/core/timeline";

export const URI = "file:///a.py";

/** Lines first..stop-1 of a text, replaced whole. */
export function hunk(text: string, first: number, stop: number, newText: string): Hunk {
  const index = new LineIndex(text);
  const range = { start: position(index, first), end: position(index, stop) };
  const oldText = text.slice(index.offsetAt(range.start), index.offsetAt(range.end));
  return { range, oldText, newText, edits: [{ range, newText }] };
}

function position(index: LineIndex, line: number) {
  const last = index.numLines - 1;
  return line > last
    ? { line: last, character: index.text.length - index.offsetAt({ line: last, character: 0 }) }
    : { line, character: 0 };
}

export function tracked(text: string, first: number, stop: number, newText: string): TrackedHunk {
  return track(hunk(text, first, stop, newText), new LineIndex(text), "h");
}

/** The text after a hunk. */
export function accepted(it: TrackedHunk, text: string): string {
  return applied(text, [...it.edits].reverse());
}

/** Put `text` in the place of the only `old` in the document. */
export function change(document: string, old: string, text: string): Change {
  const start = document.indexOf(old);
  return { start, stop: start + old.length, text };
}

export function result(version: number, hunks: readonly Hunk[], more: Partial<EditResult> = {}): EditResult {
  const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  return {
    editId: "e",
    textDocument: { uri: URI, version },
    scope: { range: nowhere, kind: "document", title: "" },
    hunks,
    candidate: 1,
    candidates: 1,
    program: "",
    message: "",
    changedLines: hunks.length,
    totalLines: 1,
    cost: { forwards: 1, plainForwards: 1, copiedLines: 0, generatedLines: 0, seconds: 0 },
    model: "m",
    device: "cpu",
    ...more,
  };
}

export function answer(version: number): PartialResult {
  const { scope } = result(version, []);
  return { kind: "answer", textDocument: { uri: URI, version }, scope, origin: "greedy" };
}
