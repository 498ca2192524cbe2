/** Which settings are the server's own, and how they come to it. */

/** As in the server; every other setting of the section is the extension's. */
export const SERVER_SETTINGS = [
  "model",
  "device",
  "dtype",
  "adapter",
  "strategy",
  "serverUrl",
  "servedModel",
  "allowPlainHttp",
  "contextSize",
  "searchWidth",
  "codeActions",
  "maxLines",
  "contextLines",
  "warmStart",
  "preload",
  "unloadAfter",
  "trace",
] as const;

export function serverSettings(read: (name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(SERVER_SETTINGS.map((name) => [name, read(name)]));
}

/** The schemes of documents that people edit; outputs, diffs and other views are none of the server's business. */
export const SCHEMES = ["file", "untitled", "vscode-vfs", "vscode-userdata"] as const;
