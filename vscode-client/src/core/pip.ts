/** What pip says, for people who wait: a few words, and percent where they are known. */

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
