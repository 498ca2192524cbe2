/** Puts the parts together. Knows every part, and does nothing itself. */

import * as vscode from "vscode";
import { downloadModel, selectModel, showActions } from "./actionsMenu";
import { ASK_COMMAND } from "./clientOptions";
import { complain } from "./complaints";
import { changesServer, serverCommand } from "./configuration";
import { ContextKeys } from "./contextKeys";
import { EditCommands } from "./editCommands";
import { Environment } from "./environment";
import { installServer } from "./installer";
import { Instructions } from "./instruction";
import { watchInterpreter } from "./interpreter";
import { createLog, inBackground, type Log } from "./log";
import { ensureServer, offerMend, sayInstalled } from "./mend";
import { ReviewCommands } from "./reviewCommands";
import { Server } from "./server";
import { ServerKey } from "./serverKey";
import { Sessions } from "./sessions";
import { StatusItem } from "./statusItem";
import { VirtualDocuments } from "./virtualDocuments";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const environment = new Environment(context);
  const key = new ServerKey(context.secrets);
  server = new Server(environment, key, log);
  const sessions = new Sessions();
  const documents = new VirtualDocuments(sessions);
  const edits = new EditCommands(server, sessions, documents, new Instructions(context.globalState));
  const reviews = new ReviewCommands(sessions, documents);
  context.subscriptions.push(log, server, sessions, documents, new StatusItem(server), new ContextKeys(sessions));
  context.subscriptions.push(
    ...registered(log, commandsOf(edits, reviews)),
    ...registered(log, serverCommands(context, environment, key, server, sessions, log)),
  );
  watchSurroundings(context, server, log);
  inBackground(log, begin(server));
}

/** VS Code waits for this, so that the server can say goodbye to its model. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}

type Commands = Record<string, (...parameters: never[]) => unknown>;

function commandsOf(edits: EditCommands, reviews: ReviewCommands): Commands {
  return {
    "copyspan.edit": edits.edit.bind(edits),
    [ASK_COMMAND]: edits.editForCodeAction.bind(edits),
    "copyspan.nextCandidate": edits.nextCandidate.bind(edits),
    "copyspan.cancelEdit": edits.cancel.bind(edits),
    "copyspan.showProgram": edits.showProgram.bind(edits),
    "copyspan.accept": reviews.accept.bind(reviews),
    "copyspan.acceptAll": reviews.acceptAll.bind(reviews),
    "copyspan.reject": reviews.reject.bind(reviews),
    "copyspan.rejectAll": reviews.rejectAll.bind(reviews),
    "copyspan.nextHunk": reviews.goToNext.bind(reviews),
    "copyspan.previousHunk": reviews.goToPrevious.bind(reviews),
    "copyspan.showDiff": reviews.showDiff.bind(reviews),
  };
}

function serverCommands(
  context: vscode.ExtensionContext,
  environment: Environment,
  key: ServerKey,
  server: Server,
  sessions: Sessions,
  log: Log,
): Commands {
  return {
    "copyspan.showActions": () => showActions(server, sessions),
    "copyspan.selectModel": selectModel,
    "copyspan.downloadModel": async () => (await ensureServer(server)) && downloadModel(server),
    "copyspan.showLog": () => log.show(),
    "copyspan.restartServer": async () => {
      await server.restart();
      await ensureServer(server);
    },
    "copyspan.setServerKey": async () => (await key.ask()) && server.restart(),
    "copyspan.installServer": async () => {
      const isInstalled = await server.whileStopped(() => installServer(context, environment, log));
      if ((await ensureServer(server)) && isInstalled) {
        await sayInstalled();
      }
    },
  };
}

function registered(log: Log, commands: Commands): vscode.Disposable[] {
  return Object.entries(commands).map(([id, command]) =>
    vscode.commands.registerCommand(id, async (...parameters: never[]) => {
      try {
        await command(...parameters);
      } catch (error) {
        inBackground(log, complain(error, log));
      }
    }),
  );
}

/** What asks for another server process. */
function watchSurroundings(context: vscode.ExtensionContext, server: Server, log: Log): void {
  const restart = () => inBackground(log, server.restart());
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => changesServer(event) && restart()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  inBackground(
    log,
    watchInterpreter(() => serverCommand().length === 0 && restart()).then((watching) =>
      context.subscriptions.push(watching),
    ),
  );
}

async function begin(server: Server): Promise<void> {
  await server.restart();
  if (server.state === "failed") {
    await offerMend(server);
  }
}
