/** The instructions that were given last, newest first, each once. */

const MOST = 30;

export function remembered(history: readonly string[], instruction: string): readonly string[] {
  return [instruction, ...history.filter((it) => it !== instruction)].slice(0, MOST);
}

/** What Enter means: what is typed, else the instruction that is chosen from the list. */
export function meant(typed: string, chosen: string | undefined): string | undefined {
  return typed.trim() || chosen;
}
