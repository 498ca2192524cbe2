/** How the language client behaves: which documents it sends, what the server is told, and what is shown by us. */

import {
  CloseAction,
  ErrorAction,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import { settingsForServer } from "./configuration";
import { SCHEMES } from "./core/settings";
import { type Log, outputOf } from "./log";
import type { ProgressBars } from "./progressBars";

/** The command by which the server's own code action asks a person what to change. */
export const ASK_COMMAND = "copyspan.askForCodeAction";

export function clientOptions(log: Log, bars: ProgressBars): LanguageClientOptions {
  return {
    documentSelector: SCHEMES.map((scheme) => ({ scheme })),
    initializationOptions: { askCommand: ASK_COMMAND, copyspan: settingsForServer() },
    outputChannel: outputOf(log),
    // What fails is said by us, in a message that offers the mend.
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }), // if it matters, the process ends
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }), // the process's end is watched
    },
    middleware: {
      handleWorkDoneProgress: (token, value) => bars.handle(token, value),
      workspace: {
        // The server would complain of settings that it does not know, which are the extension's.
        configuration: (params) => params.items.map(() => settingsForServer()),
      },
    },
  };
}
