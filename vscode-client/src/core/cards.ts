/** What a proposal looks like in the editor: one card a hunk, with the place that it stands at. */

import type { Span, TrackedHunk } from "./hunks";
import { countLines, LineIndex, withoutLastLineEnd } from "./lines";
import type { Proposal, Writing } from "./preview";

export interface Card {
  /** Names the hunk; the same while it is only moved. */
  readonly id: string;
  /** The card stands below this line; -1 is above the first. */
  readonly below: number;
  /** The first of the old lines, or `below` where there is none. */
  readonly from: number;
  readonly label: string;
  /** The new lines, without the last line end; undefined where lines only go away. */
  readonly text: string | undefined;
  readonly isFinal: boolean;
}

/** What goes away: whole lines, and the characters inside them. */
export interface Marks {
  /** First and last line of every run of old lines. */
  readonly lines: readonly { readonly first: number; readonly last: number }[];
  readonly words: readonly Span[];
}

export function cardsOf(proposal: Proposal, text: string): readonly Card[] {
  const index = new LineIndex(text);
  const { hunks, writing, isFinal } = proposal;
  const cards = hunks.map((hunk, i) => hunkCard(hunk, index, `${i + 1}/${hunks.length}`, isFinal));
  return writing === undefined ? cards : [...cards, writingCard(writing, index)];
}

export function marksOf(hunks: readonly TrackedHunk[], text: string): Marks {
  const index = new LineIndex(text);
  const edited = hunks.filter((hunk) => hunk.lines.start < hunk.lines.stop);
  return {
    lines: edited.map((hunk) => ({ first: index.lineAt(hunk.lines.start), last: index.lineAt(hunk.lines.stop - 1) })),
    words: edited
      .filter((hunk) => hunk.newText !== "")
      .flatMap((hunk) => hunk.edits.filter(isWord).map((edit) => wholeWords(edit, text))),
  };
}

/** "replace 2 lines by 3" */
export function whatHappens(oldText: string, newText: string): string {
  const [old, now] = [countLines(oldText), countLines(newText)];
  if (old === 0) {
    return `insert ${lines(now)}`;
  }
  if (now === 0) {
    return `delete ${lines(old)}`;
  }
  return `replace ${lines(old)}${old === now ? "" : ` by ${now}`}`;
}

function hunkCard(hunk: TrackedHunk, index: LineIndex, number: string, isFinal: boolean): Card {
  const first = index.lineAt(hunk.lines.start);
  const isInsertion = hunk.lines.start === hunk.lines.stop;
  const isAppended = isInsertion && hunk.lines.start === index.text.length && !endsLine(index.text);
  const below = isInsertion ? (isAppended ? first : first - 1) : index.lineAt(hunk.lines.stop - 1);
  return {
    id: hunk.id,
    below,
    from: isInsertion ? below : first,
    label: `${number} - ${whatHappens(hunk.oldText, hunk.newText)}`,
    text: hunk.newText === "" ? undefined : withoutLastLineEnd(hunk.newText),
    isFinal,
  };
}

function writingCard(writing: Writing, index: LineIndex): Card {
  const below = index.lineAt(writing.offset) - 1;
  const text = withoutLastLineEnd(writing.text);
  return { id: writing.id, below, from: below, label: "writing...", text, isFinal: false };
}

function isWord(span: Span): boolean {
  return span.start < span.stop;
}

/** Edits cut inside words, where old and new begin or end alike; a person reads words. */
function wholeWords(span: Span, text: string): Span {
  let { start, stop } = span;
  while (start > 0 && isWordAt(text, start - 1) && isWordAt(text, start)) {
    start--;
  }
  while (stop < text.length && isWordAt(text, stop - 1) && isWordAt(text, stop)) {
    stop++;
  }
  return { start, stop };
}

function isWordAt(text: string, offset: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text.charAt(offset));
}

function endsLine(text: string): boolean {
  return text === "" || /[\r\n]$/.test(text);
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
