import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';

/** Milliseconds between two checks of the file. */
const checkEveryMs = 5000;

const none: readonly LookupAddress[] = Object.freeze([]);

/** Names of the system's hosts file, which take precedence over a name server. */
export class HostsFile {
  readonly #path: string;
  readonly #monotonic: () => number;
  #names: ReadonlyMap<string, readonly LookupAddress[]> = new Map();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #version = '';
  /** The running read, or the last one; concurrent lookups share its result. */
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string, monotonic: () => number) {
    this.#path = path;
    this.#monotonic = monotonic;
  }

  /** Addresses of a lower-case name; none if the file does not contain it or does not exist. */
  async find(name: string): Promise<readonly LookupAddress[]> {
    const now = this.#monotonic();
    if (now - this.#checkedAt > checkEveryMs) {
      this.#checkedAt = now;
      this.#reading = this.#read();
    }
    await this.#reading;
    return this.#names.get(name) ?? none;
  }

  async #read(): Promise<void> {
    try {
      const { mtimeMs, size } = await stat(this.#path);
      const version = `${mtimeMs} ${size}`;
      if (version === this.#version) return;
      this.#names = parseHosts(await readFile(this.#path, 'utf8'));
      this.#version = version;
    } catch {
      // The file may not exist.
      this.#names = new Map();
      this.#version = '';
    }
  }
}

/** Parses lines of the form `address name alias … # comment` (hosts(5)). */
function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      const known = names.get(name) ?? [];
      if (!known.some((each) => each.address === address)) known.push({ address, family });
      names.set(name, known);
    }
  }
  return names;
}
