import { mkdir, open, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How editors, deployment tools and orchestrators write a file. */

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens the file and overwrites it. */
export const inPlace = (path: string, text: string): Promise<void> => writeFile(path, text);

/** Writes a temporary file and renames it over the file, as most editors do. */
export async function byRename(path: string, text: string): Promise<void> {
  const half = join(dirname(path), `.${basename(path)}.swp`);
  await writeFile(half, text);
  await rename(half, path);
}

/** Writes the first part, and the rest later: a reader in between sees an incomplete file. */
export async function inParts(path: string, text: string, betweenMs: number): Promise<void> {
  const file = await open(path, 'w');
  const half = Math.floor(text.length * 0.8);
  await file.write(text.slice(0, half));
  await pause(betweenMs);
  await file.write(text.slice(half));
  await file.close();
}

/**
 * A folder as an orchestrator mounts it: the files are links through `..data`, which points to the folder of the current
 * version; a new version is a new folder, a swapped link, and the old folder deleted.
 */
export class Volume {
  readonly #dir: string;
  #version = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The first version; later ones have the same names. */
  async create(files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(this.#dir);
    await symlink(await this.#write(files), join(this.#dir, '..data'));
    for (const name of Object.keys(files)) await symlink(`..data/${name}`, join(this.#dir, name));
  }

  async swap(files: Readonly<Record<string, string>>): Promise<void> {
    const data = join(this.#dir, '..data');
    const old = await readlink(data);
    await symlink(await this.#write(files), `${data}_tmp`);
    await rename(`${data}_tmp`, data);
    await rm(join(this.#dir, old), { recursive: true });
  }

  async #write(files: Readonly<Record<string, string>>): Promise<string> {
    this.#version += 1;
    const folder = `..2026_11_21_${this.#version}`;
    await mkdir(join(this.#dir, folder));
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.#dir, folder, name), text);
    return folder;
  }
}
