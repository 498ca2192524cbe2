/** The server's own requests and notifications, as they travel. Positions are LSP positions in UTF-16. */

export const EDIT = "copyspan/edit";
export const NEXT = "copyspan/next";
export const STATUS = "copyspan/status";
export const STATUS_CHANGED = "copyspan/statusChanged";
export const DOWNLOAD = "copyspan/download";

/** The version of these payloads that this client understands. */
export const PROTOCOL = 1;

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/** What a person accepts or rejects. Any choice of an edit's hunks can be applied together. */
export interface Hunk {
  /** The old lines, whole; empty where lines are only inserted. */
  readonly range: Range;
  readonly oldText: string;
  readonly newText: string;
  /** The smallest edits that do it, in order and apart. */
  readonly edits: readonly TextEdit[];
}

export interface VersionedDocument {
  readonly uri: string;
  readonly version: number;
}

export interface Scope {
  readonly range: Range;
  readonly kind: "selection" | "document" | "block";
  readonly title: string;
}

export interface Cost {
  readonly forwards: number;
  readonly plainForwards: number;
  readonly copiedLines: number;
  readonly generatedLines: number;
  readonly seconds: number;
}

export interface EditParams {
  readonly textDocument: VersionedDocument;
  readonly instruction: string;
  readonly range?: Range;
  readonly position?: Position;
  readonly workDoneToken?: string;
  readonly partialResultToken?: string;
}

export interface NextParams {
  readonly editId: string;
  readonly workDoneToken?: string;
  readonly partialResultToken?: string;
}

/** The answer to `copyspan/edit` and `copyspan/next`. */
export interface EditResult {
  readonly editId: string;
  /** The version that all ranges below are in. */
  readonly textDocument: VersionedDocument;
  readonly scope: Scope;
  readonly hunks: readonly Hunk[];
  readonly candidate: number;
  readonly candidates: number;
  readonly program: string;
  /** The outcome in words for people. */
  readonly message: string;
  readonly changedLines: number;
  readonly totalLines: number;
  readonly cost: Cost;
  readonly model: string;
  readonly device: string;
}

/** What happened since the last partial result, in order. */
export type PartialResult =
  | {
      readonly kind: "answer";
      readonly textDocument: VersionedDocument;
      readonly scope: Scope;
      readonly origin: string;
    }
  | { readonly kind: "copied"; readonly startLine: number; readonly stopLine: number }
  | { readonly kind: "text"; readonly line: number; readonly text: string }
  | { readonly kind: "hunk"; readonly index: number; readonly hunk: Hunk };

export interface PartialResults {
  readonly items: readonly PartialResult[];
}

export type ModelState = "unloaded" | "missing" | "downloading" | "loading" | "ready" | "working" | "failed";

/** The result of `copyspan/status`, and the notification `copyspan/statusChanged`. */
export interface Status {
  readonly state: ModelState;
  readonly model: string;
  readonly device?: string;
  readonly dtype?: string;
  readonly document?: string;
  readonly queue: number;
  /** The inference server that documents are sent to, where the model does not run on this machine. */
  readonly server?: string;
  readonly message?: string;
}
