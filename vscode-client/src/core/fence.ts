/** A text as a Markdown code block, whatever it holds. */

export function codeBlock(text: string, languageId: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^\s*(`{3,})/gm), (run) => run[1]?.length ?? 0));
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w+#-]+$/.test(languageId) ? languageId : ""}\n${text}\n${fence}`;
}
