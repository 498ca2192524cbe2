/** Lines and positions of one text. A line ends at LF, CRLF or CR and nowhere else; columns are UTF-16 units. */

import type { Position } from "./protocol";

export class LineIndex {
  private readonly starts: number[] = [0];

  constructor(readonly text: string) {
    for (const match of text.matchAll(/\r\n|\r|\n/g)) {
      this.starts.push(match.index + match[0].length);
    }
  }

  /** A text that ends with a line end has one more, empty, line. */
  get numLines(): number {
    return this.starts.length;
  }

  /** A line beyond the last means the end of the text; a column beyond the line's end, the start of the next line. */
  offsetAt(position: Position): number {
    const start = this.starts[position.line];
    if (start === undefined) {
      return this.text.length;
    }
    return Math.min(start + position.character, this.starts[position.line + 1] ?? this.text.length);
  }

  /** The number of the line that holds the character at `offset`. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}

/** Whether a line begins at `offset`. */
export function isLineStart(text: string, offset: number): boolean {
  const before = text[offset - 1];
  return offset === 0 || before === "\n" || (before === "\r" && text[offset] !== "\n");
}

/** How many lines a text of whole lines has; the last one may lack its line end. */
export function countLines(text: string): number {
  return text === "" ? 0 : new LineIndex(withoutLastLineEnd(text)).numLines;
}

export function withoutLastLineEnd(text: string): string {
  return text.replace(/(\r\n|\r|\n)$/, "");
}
