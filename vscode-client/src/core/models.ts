/** Names of models. */

export interface KnownModel {
  readonly name: string;
  readonly about: string;
}

/** Those that the server can get by itself even where the hub cannot be reached. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  { name: "Qwen2.5-Coder-1.5B-Instruct", about: "the default: 1.1 to 3.1 GB to download" },
  {
    name: "Qwen2.5-Coder-0.5B-Instruct",
    about: "nearly three times as fast, less often right: 0.5 to 1 GB to download",
  },
];

/** The part of a name that tells models apart: no organisation, no folder, no suffix. */
export function shortName(model: string): string {
  const last = model.split(/[\\/]/).filter(Boolean).at(-1) ?? model;
  return last.replace(/\.gguf$/i, "").replace(/-instruct$/i, "");
}
