/** Programs that the extension runs. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type * as vscode from "vscode";

export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** The last line that it wrote to standard error. */
  lastLine: string | undefined;
}

/** Start a program, with `more` in its environment; rejects where it cannot be started. */
export function start(
  command: readonly string[],
  cwd: string,
  onLine: (line: string) => void,
  more: Record<string, string> = {},
): Promise<Running> {
  const [program = "", ...parameters] = command;
  const env = { ...process.env, PYTHONUTF8: "1", ...more };
  const child = spawn(program, parameters, { cwd, env, stdio: "pipe", windowsHide: true });
  const running: Running = { process: child, lastLine: undefined };
  createInterface({ input: child.stderr }).on("line", (line) => {
    running.lastLine = line.trim() === "" ? running.lastLine : line;
    onLine(line);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(running));
  });
}

/** Run a program to its end. Resolves to what it printed; rejects where it fails, with its last line. */
export async function run(
  command: readonly string[],
  cwd: string,
  options: { onLine?: (line: string) => void; token?: vscode.CancellationToken; timeoutMs?: number } = {},
): Promise<string> {
  const running = await start(command, cwd, (line) => options.onLine?.(line));
  const child = running.process;
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    printed.push(line);
    options.onLine?.(line);
  });
  child.stdin.end();
  const cancelled = options.token?.onCancellationRequested(() => child.kill());
  const timer = options.timeoutMs && setTimeout(() => child.kill(), options.timeoutMs);
  try {
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    if (code !== 0) {
      throw new Error(running.lastLine ?? printed.at(-1) ?? `${command[0]} ended with code ${code}.`);
    }
    return printed.join("\n");
  } finally {
    cancelled?.dispose();
    clearTimeout(timer || undefined);
  }
}
