/** What the status item says. */

import { shortName } from "./models";
import type { Status } from "./protocol";

export type ServerState = "off" | "installing" | "starting" | "running" | "failed";

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly isWarning: boolean;
}

export function statusText(server: ServerState, status: Status | undefined, progress: string | undefined): StatusText {
  switch (server) {
    case "off":
      return plain("$(circle-slash) Copyspan", "Copyspan is not running. Click for what can be done.");
    case "installing":
      return plain("$(loading~spin) Installing Copyspan", "Copyspan's server is being installed.");
    case "starting":
      return plain("$(loading~spin) Copyspan", "Copyspan's server is starting.");
    case "failed":
      return {
        text: "$(warning) Copyspan",
        tooltip: "Copyspan's server does not run. Click to mend it.",
        isWarning: true,
      };
    case "running":
      return status === undefined ? plain("$(sparkle) Copyspan", "Copyspan") : ofModel(status, progress);
  }
}

function ofModel(status: Status, progress: string | undefined): StatusText {
  const name = shortName(status.model);
  const place = status.device === undefined ? "" : ` on ${status.device}${status.dtype ? ` (${status.dtype})` : ""}`;
  const waiting = status.queue > 0 ? `, ${status.queue} waiting` : "";
  const sent = status.server === undefined ? "" : `\nThe text that is edited is sent to ${status.server}.`;
  const tooltip = (what: string, more = status.message) =>
    `Copyspan: ${status.model}${place}\n${what}${waiting}${more ? `\n${more}` : ""}${sent}`;
  switch (status.state) {
    case "unloaded":
      return plain(`$(sparkle) ${name}`, tooltip("The model is loaded when an edit needs it."));
    case "ready":
      return plain(`$(sparkle) ${name} ${status.device ?? ""}`.trimEnd(), tooltip("Ready"));
    case "loading":
      return plain(`$(loading~spin) Loading ${name}`, tooltip(progress ?? "Loading the model"));
    case "downloading":
      return plain(`$(loading~spin) Downloading ${name}`, tooltip(progress ?? "Downloading the model"));
    case "working":
      return plain(`$(loading~spin) ${name} ${status.device ?? ""}`.trimEnd(), tooltip(progress ?? "Editing"));
    case "missing":
      return {
        text: `$(cloud-download) ${name}`,
        tooltip: tooltip(status.message ?? "The model is not on this machine.", "Click to download it."),
        isWarning: true,
      };
    case "failed":
      return { text: `$(warning) ${name}`, tooltip: tooltip("The model could not be loaded."), isWarning: true };
  }
}

function plain(text: string, tooltip: string): StatusText {
  return { text, tooltip, isWarning: false };
}
