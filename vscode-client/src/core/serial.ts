/** One run of a task at a time, and at most one that waits: whoever asks meanwhile shares that one. */

export class Serial {
  private running: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  constructor(private readonly task: () => Promise<void>) {}

  /** What runs or waits; undefined where nothing does. */
  get pending(): Promise<void> | undefined {
    return this.waiting ?? this.running;
  }

  run(): Promise<void> {
    if (this.running === undefined) {
      return this.start();
    }
    this.waiting ??= this.running.catch(() => undefined).then(() => this.start());
    return this.waiting;
  }

  private start(): Promise<void> {
    this.waiting = undefined;
    const run = this.task().finally(() => {
      if (this.running === run) {
        this.running = undefined;
      }
    });
    this.running = run;
    return run;
  }
}
