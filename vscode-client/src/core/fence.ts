/** A text as a Markdown code block, whatever it holds. A last line that is blank is to be seen as well. */

export function codeBlock(text: string, languageId: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^\s*(`{3,})/gm), (run) => run[1]?.length ?? 0));
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w+#-]+$/.test(languageId) ? languageId : ""}\n${text.replace(/(^|\n)$/, "$1 ")}\n${fence}`;
}
