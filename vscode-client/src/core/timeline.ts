/** What happened to a text since a version of it, so that an answer about an older version still finds its place. */

/** The characters start..stop-1 are replaced by a text. */
export interface Change {
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

export interface Step {
  /** The version after these changes. */
  readonly version: number;
  /** Each in the text that the one before it left. */
  readonly changes: readonly Change[];
}

export class Timeline {
  private readonly steps: Step[] = [];

  constructor(
    private readonly version: number,
    private readonly text: string,
  ) {}

  record(step: Step): void {
    this.steps.push(step);
  }

  /** The text of a version, with the changes since then; undefined for a version that never was. */
  since(version: number): { readonly text: string; readonly changes: readonly Change[] } | undefined {
    const known = [this.version, ...this.steps.map((step) => step.version)];
    const index = known.indexOf(version);
    if (index < 0) {
      return undefined;
    }
    const before = this.steps.slice(0, index).flatMap((step) => step.changes);
    return { text: applied(this.text, before), changes: this.steps.slice(index).flatMap((step) => step.changes) };
  }
}

/** The text after changes, each made in what the one before it left. */
export function applied(text: string, changes: readonly Change[]): string {
  return changes.reduce((it, change) => it.slice(0, change.start) + change.text + it.slice(change.stop), text);
}

export function growth(change: Change): number {
  return change.text.length - (change.stop - change.start);
}
