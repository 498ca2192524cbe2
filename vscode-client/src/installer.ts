/** "Install Server": makes the extension's own environment from the package that the extension brings along. */

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { NO_BASE_PYTHON, notInstalled, noVenv } from "./core/messages";
import { installation, readPip } from "./core/pip";
import { basePythons, isNewEnough } from "./core/probe";
import type { Environment } from "./environment";
import { probe, trustedInterpreter } from "./finder";
import type { Log } from "./log";
import { run } from "./processes";

type Report = vscode.Progress<{ message?: string }>;

/** Raises Error with a sentence for people; returns whether it was done, and not cancelled. */
export async function installServer(
  context: vscode.ExtensionContext,
  environment: Environment,
  log: Log,
): Promise<boolean> {
  const title = "Copyspan: installing the server";
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    try {
      await install(context, environment, log, progress, token);
      return true;
    } catch (error) {
      if (token.isCancellationRequested) {
        return false;
      }
      throw error;
    }
  });
}

async function install(
  context: vscode.ExtensionContext,
  environment: Environment,
  log: Log,
  progress: Report,
  token: vscode.CancellationToken,
): Promise<void> {
  await environment.prepare();
  progress.report({ message: "looking for Python" });
  const base = await basePython(environment);
  const wheel = await bundledWheel(context);
  progress.report({ message: "making an environment" });
  const onLine = follower(progress, log);
  const commands = [[...base, "-m", "venv", environment.folder], ...installation(environment.python, wheel)];
  await environment.replace(async () => {
    for (const command of commands) {
      log.info(command.join(" "));
      await run(command, environment.home, { token, onLine }).catch((error: Error) => {
        throw new Error(notInstalled(error.message));
      });
    }
    await writeFile(environment.mark, `${wheel}\n`);
  });
}

async function basePython(environment: Environment): Promise<readonly string[]> {
  let withoutVenv: readonly string[] | undefined;
  for (const python of basePythons(await trustedInterpreter(), process.platform)) {
    const found = await probe(python, environment);
    if (found !== undefined && isNewEnough(found.version)) {
      if (found.venv) {
        return python;
      }
      withoutVenv ??= python;
    }
  }
  throw new Error(withoutVenv === undefined ? NO_BASE_PYTHON : noVenv(withoutVenv.join(" ")));
}

async function bundledWheel(context: vscode.ExtensionContext): Promise<string> {
  const folder = context.asAbsolutePath(join("dist", "server"));
  const wheel = (await readdir(folder).catch(() => [])).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) {
    throw new Error("This build of the extension brings no server along. Set copyspan.server.command to one.");
  }
  return join(folder, wheel);
}

/** Shows what pip does, in words, with percent for large files. */
function follower(progress: Report, log: Log): (line: string) => void {
  let message = "";
  return (line) => {
    const told = readPip(line);
    message = told?.message ?? message;
    if (told !== undefined) {
      progress.report({ message: told.percent ? `${message}: ${told.percent} %` : message });
    }
    if (told?.percent === undefined || told.message !== undefined) {
      log.info(line);
    }
  };
}
