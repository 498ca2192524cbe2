/** Whether a server that died is started again by itself: not where it dies again and again. */

const MOST = 3;
const WITHIN_MS = 3 * 60_000;

export class Crashes {
  private times: number[] = [];

  /** Note a crash; returns whether to start again. */
  note(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < WITHIN_MS), now];
    return this.times.length <= MOST;
  }
}
