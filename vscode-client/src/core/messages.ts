/** What people are told. Each sentence says what is wrong and what to do; none holds a document's text. */

import type { Verdict } from "./probe";
import type { Place } from "./search";

/** A person asked for what cannot be done now; nothing is broken. */
export class UsageError extends Error {}

export const NO_EDITOR = "Open a file to edit first.";
export const STILL_RUNNING = "The edit is still being made. Wait for it, or cancel it.";
export const NO_PREVIEW = "Nothing is proposed for this file.";
export const NOTHING_TO_GO_ON = "There is no edit of this file to find another candidate for. Ask for one first.";
export const NOT_APPLIED = "The editor did not apply the change; nothing was changed. Try again.";
export const OUT_OF_STEP = "The file changed at this moment; nothing was applied. Try again.";
export const NO_PROGRAM = "There is no finished edit of this file whose program could be shown.";
export const INSTALL_FIRST =
  "Copyspan's server was not found. Install it into an environment of its own (up to 5 GB, most of it PyTorch), or choose a Python that has it.";
export const NO_BASE_PYTHON =
  "No Python 3.11 or later was found to install the server with. Install one from python.org or your system's packages, and try again.";
export const INSTALLING = "Copyspan's server is being installed. Ask again when it is there.";
export const INSTALLED = "Copyspan's server is installed. The first edit offers to download the model.";

export function notEditable(scheme: string): string {
  return `Copyspan edits files and new, unsaved documents; this one is neither (${scheme}).`;
}

export function typedOver(gone: number, left: number): string {
  const what =
    gone === 1
      ? "A proposed change was withdrawn, because its lines were edited."
      : `${gone} proposed changes were withdrawn, because their lines were edited.`;
  const rest = left === 0 ? "" : left === 1 ? " One is left." : ` ${left} are left.`;
  return what + rest;
}

/** Why a place did not do. */
export function whyNot(place: Place, verdict: Exclude<Verdict, "ready">): string {
  if (place.kind === "setting") {
    return `The command in the setting copyspan.server.command, "${place.command[0]}", could not be run. Correct the setting.`;
  }
  const whose = place.kind === "own" ? "Copyspan's own environment" : `The chosen interpreter, ${place.python},`;
  switch (verdict) {
    case "no python":
      return `${whose} could not be run.`;
    case "old python":
      return `${whose} is older than Python 3.11, which Copyspan needs.`;
    case "no server":
      return `${whose} has no copyspan package.`;
  }
}

export function died(code: number | null, lastLine: string | undefined): string {
  const how = code === null ? "was ended" : `ended with code ${code}`;
  return `Copyspan's server ${how}.${lastLine ? ` Its last words: ${shortened(lastLine)}` : ""}`;
}

export function otherProtocol(theirs: unknown, ours: number): string {
  return `The server speaks version ${String(theirs)} of Copyspan's protocol, and this extension version ${ours}. Install the server anew, or update the extension.`;
}

export function notInstalled(lastLine: string): string {
  return `Copyspan's server could not be installed: ${shortened(lastLine)} The log has the rest.`;
}

export function noVenv(python: string): string {
  return `${python} cannot make environments. On Debian and Ubuntu install the package python3-venv, and try again.`;
}

/** What fits the status bar of a message. */
export function firstSentence(text: string): string {
  return text.replace(/\. [A-Z].*$/s, "");
}

export function shortened(text: string, limit = 200): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 3)}...`;
}
