/** A line of the language client's output, which has a level and a time of its own, as one of a log that has both. */

export type Level = "error" | "warn" | "info" | "debug";

export function readLogLine(line: string): { readonly level: Level; readonly message: string } {
  const read = /^\[(Error|Warn|Info|Debug) *- [^\]]*\] (.*)$/s.exec(line);
  return { level: (read?.[1]?.toLowerCase() ?? "info") as Level, message: read?.[2] ?? line };
}
