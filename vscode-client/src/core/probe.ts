/** What an interpreter can do for us: the question, in Python, and what the answer means. */

export const OLDEST_PYTHON = [3, 11] as const;

/** Runs under any Python 3, and imports nothing of ours. */
export const PROBE = `
import importlib.util, json, sys
def has(name):
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:
        return False
print(json.dumps({"version": list(sys.version_info[:3]), "server": has("copyspan_lsp"), "venv": has("venv") and has("ensurepip")}))
`;

export interface Probe {
  readonly version: readonly number[];
  /** Whether the server's package can be imported. */
  readonly server: boolean;
  /** Whether environments can be made. */
  readonly venv: boolean;
}

/** The last line of the output, since a site's start-up file may print, too; undefined where there is no answer. */
export function readProbe(output: string): Probe | undefined {
  try {
    const read: unknown = JSON.parse(output.trim().split("\n").at(-1) ?? "");
    return isProbe(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

export type Verdict = "ready" | "no python" | "old python" | "no server";

export function verdict(probe: Probe | undefined): Verdict {
  if (probe === undefined) {
    return "no python";
  }
  if (!isNewEnough(probe.version)) {
    return "old python";
  }
  return probe.server ? "ready" : "no server";
}

export function isNewEnough(version: readonly number[]): boolean {
  const [major = 0, minor = 0] = version;
  return major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]);
}

/** The interpreters to make an environment with, the likeliest first. */
export function basePythons(interpreter: string | undefined, platform: string): readonly (readonly string[])[] {
  const chosen = interpreter === undefined ? [] : [[interpreter]];
  const newest = ["3.13", "3.12", "3.11", "3.14"];
  return platform === "win32"
    ? [...chosen, ...newest.map((it) => ["py", `-${it}`]), ["python"]]
    : [...chosen, ...newest.map((it) => [`python${it}`]), ["python3"], ["python"]];
}

function isProbe(value: unknown): value is Probe {
  const it = value as Partial<Probe> | null;
  return typeof it === "object" && it !== null && Array.isArray(it.version) && typeof it.server === "boolean";
}
