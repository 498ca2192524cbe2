/** Finds the command that starts the server. */

import * as vscode from "vscode";
import { serverCommand, workspaceFolder } from "./configuration";
import { INSTALL_FIRST, whyNot } from "./core/messages";
import { PROBE, type Probe, readProbe, verdict } from "./core/probe";
import { commandOf, type Place, places } from "./core/search";
import type { Environment } from "./environment";
import { chosenInterpreter } from "./interpreter";
import type { Log } from "./log";
import { run } from "./processes";

const PROBE_TIMEOUT_MS = 20_000;

export type Search =
  | { readonly place: Place; readonly command: readonly string[]; readonly cwd: string }
  | { readonly problem: string };

export async function findServer(environment: Environment, log: Log): Promise<Search> {
  await environment.prepare();
  const command = serverCommand();
  const candidates = places({
    command,
    interpreter: command.length === 0 ? await trustedInterpreter() : undefined,
    own: (await environment.isInstalled()) ? environment.python : undefined,
    isTrusted: vscode.workspace.isTrusted,
  });
  const reasons: string[] = [];
  for (const place of candidates) {
    if (place.kind === "setting") {
      return { place, command: commandOf(place), cwd: workspaceFolder() ?? environment.home };
    }
    const found = verdict(await probe([place.python], environment));
    if (found === "ready") {
      return { place, command: commandOf(place), cwd: environment.home };
    }
    reasons.push(whyNot(place, found));
    log.info(reasons.at(-1) ?? "");
  }
  return { problem: [...reasons, INSTALL_FIRST].join(" ") };
}

/** The Python extension's interpreter, where it may be run at all. */
export async function trustedInterpreter(): Promise<string | undefined> {
  return vscode.workspace.isTrusted ? chosenInterpreter().catch(() => undefined) : undefined;
}

/** What an interpreter can do; undefined where it cannot be run. */
export async function probe(python: readonly string[], environment: Environment): Promise<Probe | undefined> {
  try {
    const printed = await run([...python, "-c", PROBE], environment.home, { timeoutMs: PROBE_TIMEOUT_MS });
    return readProbe(printed);
  } catch {
    return undefined;
  }
}
