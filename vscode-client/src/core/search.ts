/** Where the server is looked for, in which order, and what is said when it is nowhere. */

export type Place =
  | { readonly kind: "setting"; readonly command: readonly string[] }
  | { readonly kind: "interpreter" | "own"; readonly python: string };

export interface Found {
  /** `copyspan.server.command`. */
  readonly command: readonly string[];
  /** The interpreter that the Python extension has chosen. */
  readonly interpreter: string | undefined;
  /** The interpreter of the environment that "Install Server" made. */
  readonly own: string | undefined;
  /** Whether the workspace is trusted: its interpreter is a program that the workspace can bring along. */
  readonly isTrusted: boolean;
}

/** A command that a person set is the only place; nothing else is what they asked for. */
export function places(found: Found): readonly Place[] {
  if (found.command.length > 0) {
    return [{ kind: "setting", command: found.command }];
  }
  const all: Place[] = [];
  if (found.interpreter !== undefined && found.isTrusted) {
    all.push({ kind: "interpreter", python: found.interpreter });
  }
  if (found.own !== undefined) {
    all.push({ kind: "own", python: found.own });
  }
  return all;
}

/** The command line of a place. -P keeps Python from importing what lies in the current folder. */
export function commandOf(place: Place): readonly string[] {
  return place.kind === "setting" ? place.command : [place.python, "-P", "-m", "copyspan_lsp"];
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it in settings
const FOLDER = "${workspaceFolder}";

/** `~` and `${workspaceFolder}` in a command that a person wrote. */
export function expanded(command: readonly string[], home: string, folder: string | undefined): readonly string[] {
  return command.map((part) => part.replace(/^~(?=$|[\\/])/, () => home).replaceAll(FOLDER, () => folder ?? "."));
}
