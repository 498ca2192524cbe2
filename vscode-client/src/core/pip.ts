/** How pip is asked, and what it says, for people who wait: a few words, and percent where they are known. */

/** The first that tells of downloads in lines for programs; Python before 3.12.4 brings an older one along. */
const NEW_ENOUGH = "pip>=24.1";

/** The commands that install a wheel with all that it needs, in order. */
export function installation(python: string, wheel: string): readonly (readonly string[])[] {
  const pip = [python, "-m", "pip", "install", "--disable-pip-version-check"];
  return [
    [...pip, "--progress-bar", "off", NEW_ENOUGH],
    [...pip, "--progress-bar", "raw", wheel],
  ];
}

export interface PipProgress {
  readonly message?: string;
  /** Of the file that is being downloaded. */
  readonly percent?: number;
}

/** One line of `pip install --progress-bar raw`; undefined where it tells nothing new. */
export function readPip(line: string): PipProgress | undefined {
  const bytes = /^Progress (\d+) of (\d+)/.exec(line);
  if (bytes) {
    const [done, total] = [Number(bytes[1]), Number(bytes[2])];
    return total > 0 ? { percent: Math.floor((100 * done) / total) } : undefined;
  }
  const download = /^\s*Downloading (?:\S*\/)?([A-Za-z0-9_.]+?)-\d\S*(?: (\([^)]*\)))?/.exec(line);
  if (download) {
    return { message: `downloading ${download[1]}${download[2] ? ` ${download[2]}` : ""}`, percent: 0 };
  }
  const collecting = /^Collecting ([\w.-]+)/.exec(line);
  if (collecting) {
    return { message: `looking for ${collecting[1]}` };
  }
  return line.startsWith("Installing collected packages") ? { message: "installing the packages" } : undefined;
}
