/**
 * What is proposed for one document, from the first word of an answer to the last hunk that a person decides on.
 *
 * Knows the document as text and offsets; draws nothing, applies nothing.
 */

import { type Answer, follow } from "./answer";
import { fits, moved, type Span, shiftBy, type TrackedHunk, track } from "./hunks";
import { LineIndex } from "./lines";
import type { EditResult, Hunk, PartialResult } from "./protocol";
import { type Change, Timeline } from "./timeline";

/** New text that is being written before the line that starts at `offset`. */
export interface Writing {
  readonly id: string;
  readonly offset: number;
  readonly text: string;
}

export interface Proposal {
  readonly hunks: readonly TrackedHunk[];
  readonly writing: Writing | undefined;
  /** Whether the hunks can be accepted; else they are part of an answer that is still being written. */
  readonly isFinal: boolean;
}

export class Preview {
  /** The newest answer, as the server gave it. */
  result: EditResult | undefined;
  private decided: readonly TrackedHunk[] = [];
  private answer: Answer | undefined;
  private timeline: Timeline | undefined;
  private request = 0;

  constructor(
    private version: number,
    private text: string,
  ) {}

  /** A request goes out, about the text as it is. */
  begin(version: number, text: string): void {
    this.version = version;
    this.text = text;
    this.request += 1;
    this.timeline = new Timeline(this.version, this.text);
  }

  /** The server told how far it is. */
  follow(items: readonly PartialResult[]): void {
    if (this.timeline !== undefined) {
      this.answer = items.reduce<Answer | undefined>(follow, this.answer);
    }
  }

  /** The request is answered. Returns how many of its hunks were typed over before the answer came. */
  finish(result: EditResult): number {
    this.result = result;
    this.decided = this.tracked(result.hunks, result.textDocument.version);
    this.end();
    return result.hunks.length - this.decided.length;
  }

  /** The request came to nothing; what was proposed before it stays. */
  end(): void {
    this.answer = undefined;
    this.timeline = undefined;
  }

  /** Nothing is proposed any more, and there is nothing to go on from. */
  clear(): void {
    this.end();
    this.decided = [];
    this.result = undefined;
  }

  get isRunning(): boolean {
    return this.timeline !== undefined;
  }

  /** The document changed. Returns how many hunks were typed over, and are gone. */
  change(version: number, text: string, changes: readonly Change[]): number {
    this.version = version;
    this.text = text;
    this.timeline?.record({ version, changes });
    const before = this.decided.length;
    this.decided = this.surviving(this.decided, changes);
    return before - this.decided.length;
  }

  /** Whether this text is the one that the hunks are in. */
  isOf(version: number): boolean {
    return this.version === version;
  }

  get hunks(): readonly TrackedHunk[] {
    return this.decided;
  }

  /** Take hunks out, all of them without a choice. Returns those taken, in order. */
  take(ids?: readonly string[]): readonly TrackedHunk[] {
    const isTaken = (hunk: TrackedHunk) => ids === undefined || ids.includes(hunk.id);
    const taken = this.decided.filter(isTaken);
    this.decided = this.decided.filter((hunk) => !isTaken(hunk));
    return taken;
  }

  /** Put hunks back that were taken in vain. */
  restore(hunks: readonly TrackedHunk[]): void {
    const back = hunks.filter((hunk) => fits(hunk, this.text));
    this.decided = [...this.decided, ...back].sort((a, b) => a.guard.start - b.guard.start);
  }

  /** What is to be seen: an answer as soon as it says anything new, else what was proposed before it. */
  get proposal(): Proposal {
    const answer = this.answer;
    const writing = answer && this.placed(answer);
    if (answer === undefined || (answer.hunks.length === 0 && writing === undefined)) {
      return { hunks: this.decided, writing: undefined, isFinal: !this.isRunning };
    }
    return { hunks: this.tracked(answer.hunks, answer.version), writing, isFinal: false };
  }

  /** The whole text with all hunks applied. */
  get proposedText(): string {
    const edits = this.proposal.hunks.flatMap((hunk) => hunk.edits);
    return edits.reduceRight((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.stop), this.text);
  }

  private tracked(hunks: readonly Hunk[], version: number): readonly TrackedHunk[] {
    const since = this.timeline?.since(version);
    if (since === undefined) {
      return [];
    }
    const index = new LineIndex(since.text);
    const all = hunks.map((hunk) => {
      const { start, end } = hunk.range;
      return track(hunk, index, `${this.request}:${version}:${start.line}-${end.line}`);
    });
    return this.surviving(all, since.changes);
  }

  private surviving(hunks: readonly TrackedHunk[], changes: readonly Change[]): readonly TrackedHunk[] {
    return hunks
      .map((hunk) => moved(hunk, changes))
      .filter((hunk): hunk is TrackedHunk => hunk !== undefined && fits(hunk, this.text));
  }

  private placed(answer: Answer): Writing | undefined {
    const since = this.timeline?.since(answer.version);
    if (answer.writing === undefined || since === undefined) {
      return undefined;
    }
    const { line, text } = answer.writing;
    const offset = new LineIndex(since.text).offsetAt({ line, character: 0 });
    if (since.text.slice(offset).replaceAll("\r\n", "\n").startsWith(text)) {
      return undefined; // the model may yet turn out to write what stands there
    }
    const place = since.changes.reduce<Span | undefined>(follows, { start: offset, stop: offset });
    return place && { id: `${this.request}:${answer.version}:writing-${line}`, offset: place.start, text };
  }
}

function follows(place: Span | undefined, change: Change): Span | undefined {
  const shift = place && shiftBy(change, place.start, place.stop);
  return place && shift !== undefined ? { start: place.start + shift, stop: place.stop + shift } : undefined;
}
