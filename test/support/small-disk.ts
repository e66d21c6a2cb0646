import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../src/core/text/error-code.ts';

/** A file system of a few megabytes, which can be filled completely. */
export interface SmallDisk {
  readonly dir: string;
  /** Uses up all space. */
  fill(): void;
  /** Frees the space. */
  free(): void;
  end(): void;
}

/** Mounting requires privileges that containers often lack; the reason is returned instead. */
export function smallDisk(megabytes: number): SmallDisk | { readonly missing: string } {
  const dir = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    rmSync(dir, { recursive: true, force: true });
    return { missing: `A small file system cannot be mounted: ${(mounted.error?.message ?? mounted.stderr).trim()}` };
  }
  const ballastPath = join(dir, 'ballast');
  return {
    dir,
    fill: () => fill(ballastPath),
    free: () => rmSync(ballastPath),
    end() {
      // Lazy unmount, so that a process that still writes there cannot prevent it.
      spawnSync('umount', ['-l', dir]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function fill(path: string): void {
  const fd = openSync(path, 'a');
  try {
    for (let size = 1 << 20; size >= 1; ) {
      try {
        writeSync(fd, Buffer.alloc(size));
      } catch (error) {
        if (errorCode(error) !== 'ENOSPC') throw error;
        size = size >> 1;
      }
    }
  } finally {
    closeSync(fd);
  }
}
