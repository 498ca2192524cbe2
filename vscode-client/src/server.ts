/** The language server: its process, its connection, and what it says of itself. */

import * as vscode from "vscode";
import {
  LanguageClient,
  ProgressType,
  WorkDoneProgress,
  WorkDoneProgressCancelNotification,
} from "vscode-languageclient/node";
import { clientOptions } from "./clientOptions";
import { Crashes } from "./core/crashes";
import { died, INSTALLING, otherProtocol, UsageError, whyNot } from "./core/messages";
import { type PartialResults, PROTOCOL, STATUS, STATUS_CHANGED, type Status } from "./core/protocol";
import { Serial } from "./core/serial";
import type { ServerState } from "./core/statusText";
import type { Environment } from "./environment";
import { findServer } from "./finder";
import { inBackground, type Log } from "./log";
import { type Running, start } from "./processes";
import { ProgressBars } from "./progressBars";
import type { ServerKey } from "./serverKey";

const GOODBYE_MS = 2_000;

export class Server implements vscode.Disposable {
  readonly bars = new ProgressBars((token) => {
    inBackground(this.log, this.connected().sendNotification(WorkDoneProgressCancelNotification.type, { token }));
  });
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly restarts = new Serial(() => this.startAnew());
  private readonly crashes = new Crashes();
  private client: LanguageClient | undefined;
  private running: Running | undefined;
  private current: ServerState = "off";
  /** What the server said last of its model. */
  status: Status | undefined;
  /** Why it does not run. */
  problem: string | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly key: ServerKey,
    private readonly log: Log,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  /** Whether the server runs, after starting it if need be. */
  async ready(): Promise<boolean> {
    await this.restarts.pending;
    if (this.current !== "running" && this.current !== "installing") {
      await this.restart();
    }
    return this.current === "running";
  }

  restart(): Promise<void> {
    return this.restarts.run();
  }

  /** Stop the server while it is installed, since it may run from what is replaced; it does not start meanwhile. */
  async whileStopped<Result>(install: () => Promise<Result>): Promise<Result> {
    await this.restarts.pending;
    if (this.current === "installing") {
      throw new UsageError(INSTALLING);
    }
    this.enter("installing");
    try {
      await this.shutDown();
      return await install();
    } finally {
      this.enter("off");
    }
  }

  /** Raises ResponseError. */
  request<Result>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Result> {
    return this.connected().sendRequest<Result>(method, params, token);
  }

  /** Follow a request's partial results and progress. */
  listen(partialToken: string, workToken: string, handle: (value: PartialResults) => void): vscode.Disposable {
    const client = this.connected();
    return vscode.Disposable.from(
      client.onProgress(new ProgressType<PartialResults>(), partialToken, handle),
      client.onProgress(WorkDoneProgress.type, workToken, () => undefined), // the middleware has it
    );
  }

  dispose(): void {
    this.bars.dispose();
    inBackground(this.log, this.shutDown());
    this.changed.dispose();
  }

  async stop(): Promise<void> {
    await this.shutDown();
    this.enter("off");
  }

  private async shutDown(): Promise<void> {
    const { client, running } = this;
    this.client = undefined;
    this.running = undefined;
    this.status = undefined;
    this.bars.clear();
    await client
      ?.dispose(GOODBYE_MS)
      .catch((error: unknown) => this.log.info(`The server did not say goodbye: ${String(error)}`));
    if (running !== undefined && running.process.exitCode === null) {
      const timer = setTimeout(() => running.process.kill(), GOODBYE_MS);
      running.process.once("exit", () => clearTimeout(timer));
    }
  }

  private connected(): LanguageClient {
    if (this.client === undefined) {
      throw new Error("Copyspan's server is not running. Start it with Copyspan: Restart Server.");
    }
    return this.client;
  }

  private async startAnew(): Promise<void> {
    if (this.current === "installing") {
      return;
    }
    await this.shutDown();
    this.enter("starting");
    try {
      this.problem = await this.launch();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    if (this.problem !== undefined) {
      this.log.error(`The server could not be started: ${this.problem}`);
      await this.shutDown();
    }
    this.enter(this.problem === undefined ? "running" : "failed");
  }

  /** Returns why it could not be. */
  private async launch(): Promise<string | undefined> {
    const search = await findServer(this.environment, this.log);
    if ("problem" in search) {
      return search.problem;
    }
    this.log.info(`Starting ${search.command.join(" ")}`);
    let running: Running;
    try {
      const more = await this.key.environment();
      running = await start(search.command, search.cwd, (line) => this.log.debug(line), more);
    } catch (error) {
      this.log.error(String(error));
      return whyNot(search.place, "no python");
    }
    this.running = running;
    running.process.once("exit", (code) => this.exited(running, code));
    const client = new LanguageClient(
      "copyspan",
      "Copyspan",
      () => Promise.resolve(streams(running)),
      clientOptions(this.log, this.bars),
    );
    this.client = client;
    client.onNotification(STATUS_CHANGED, (status: Status) => {
      this.status = status;
      this.changed.fire();
    });
    await client.start().catch((error: unknown) => {
      throw running.lastLine === undefined ? error : new Error(died(running.process.exitCode, running.lastLine));
    });
    const problem = protocolProblem(client);
    this.status ??= problem === undefined ? await client.sendRequest<Status>(STATUS, {}) : undefined;
    return problem;
  }

  private exited(running: Running, code: number | null): void {
    if (this.running !== running || this.current !== "running") {
      return; // it was asked to, or its start says so
    }
    const reason = died(code, running.lastLine);
    this.log.error(reason);
    if (this.crashes.note(Date.now())) {
      inBackground(this.log, this.restart());
      return;
    }
    this.problem = reason;
    inBackground(this.log, this.shutDown());
    this.enter("failed");
  }

  private enter(state: ServerState): void {
    this.current = state;
    this.changed.fire();
  }
}

function streams(running: Running) {
  return { reader: running.process.stdout, writer: running.process.stdin };
}

function protocolProblem(client: LanguageClient): string | undefined {
  const experimental: unknown = client.initializeResult?.capabilities.experimental;
  const theirs = (experimental as { copyspan?: { protocol?: unknown } } | undefined)?.copyspan?.protocol;
  return theirs === PROTOCOL ? undefined : otherProtocol(theirs, PROTOCOL);
}
