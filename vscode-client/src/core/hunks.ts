/**
 * Hunks that stay where they belong while the document goes on.
 *
 * Law: a hunk that still fits changes, in the current text, exactly the lines it was made for. A change of those lines
 * makes it fit no more; changes elsewhere only move it.
 */

import { isLineStart, type LineIndex } from "./lines";
import type { Hunk, Range } from "./protocol";
import { type Change, growth } from "./timeline";

export interface Span {
  readonly start: number;
  readonly stop: number;
}

export interface TrackedHunk {
  /** The same for one hunk all its life. */
  readonly id: string;
  /** The old lines. */
  readonly lines: Span;
  readonly oldText: string;
  readonly newText: string;
  /** In order and apart, all in the current text. */
  readonly edits: readonly Change[];
  /** What must stay as it is, `guardText`: the old lines, and what the edits replace beside them. */
  readonly guard: Span;
  readonly guardText: string;
}

/** A hunk as the server sent it, in the text that it was made for. */
export function track(hunk: Hunk, index: LineIndex, id: string): TrackedHunk {
  const lines = spanOf(hunk.range, index);
  const edits = hunk.edits.map((edit) => ({ ...spanOf(edit.range, index), text: edit.newText }));
  const guard = {
    start: Math.min(lines.start, ...edits.map((edit) => edit.start)),
    stop: Math.max(lines.stop, ...edits.map((edit) => edit.stop)),
  };
  const guardText = index.text.slice(guard.start, guard.stop);
  return { id, lines, oldText: hunk.oldText, newText: hunk.newText, edits, guard, guardText };
}

/** The hunk after changes; undefined where they touched it. */
export function moved(hunk: TrackedHunk, changes: readonly Change[]): TrackedHunk | undefined {
  let shift = 0;
  for (const change of changes) {
    const more = shiftBy(change, hunk.guard.start + shift, hunk.guard.stop + shift);
    if (more === undefined) {
      return undefined;
    }
    shift += more;
  }
  return shift === 0 ? hunk : shifted(hunk, shift);
}

/** Whether the text has, at the hunk's place, what the hunk was made for. */
export function fits(hunk: TrackedHunk, text: string): boolean {
  const { lines, guard } = hunk;
  const isAppended = lines.start === lines.stop && lines.start === text.length;
  return (
    text.slice(guard.start, guard.stop) === hunk.guardText &&
    (isLineStart(text, lines.start) || isAppended) &&
    (isLineStart(text, lines.stop) || lines.stop === text.length)
  );
}

/** How far a change moves the characters start..stop-1; undefined where it touches them. */
export function shiftBy(change: Change, start: number, stop: number): number | undefined {
  const isBefore = change.stop < start || (change.stop === start && (start < stop || change.start < start));
  if (isBefore) {
    return growth(change);
  }
  return change.start >= stop ? 0 : undefined;
}

function spanOf(range: Range, index: LineIndex): Span {
  return { start: index.offsetAt(range.start), stop: index.offsetAt(range.end) };
}

function shifted(hunk: TrackedHunk, shift: number): TrackedHunk {
  const by = <Place extends Span>(place: Place): Place => ({
    ...place,
    start: place.start + shift,
    stop: place.stop + shift,
  });
  return { ...hunk, lines: by(hunk.lines), guard: by(hunk.guard), edits: hunk.edits.map(by) };
}
