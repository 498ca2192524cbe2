/** Which hunk a person means who stands on a line. */

export interface Lines {
  readonly id: string;
  readonly from: number;
  readonly below: number;
}

/** The hunk at the line, else the nearest one, the one below where two are as near. */
export function hunkAt<It extends Lines>(hunks: readonly It[], line: number): It | undefined {
  const distance = (hunk: It) => (line < hunk.from ? hunk.from - line - 0.5 : Math.max(line - hunk.below, 0));
  return hunks.reduce<It | undefined>(
    (best, hunk) => (best === undefined || distance(hunk) < distance(best) ? hunk : best),
    undefined,
  );
}

/** The first hunk after the line, from the start again where there is none. */
export function hunkAfter<It extends Lines>(hunks: readonly It[], line: number): It | undefined {
  return hunks.find((hunk) => Math.max(hunk.from, 0) > line) ?? hunks[0];
}

/** The last hunk that ends before the line, from the end where there is none. */
export function hunkBefore<It extends Lines>(hunks: readonly It[], line: number): It | undefined {
  return hunks.filter((hunk) => hunk.below < line && Math.max(hunk.from, 0) < line).at(-1) ?? hunks.at(-1);
}
