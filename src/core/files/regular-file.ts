import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Opening never blocks, even if the file was replaced by a pipe after it was checked. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Read size for files that report no size, such as those in `/proc`. */
const chunk = 64 * 1024;

interface FileKind {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/**
 * Reads a regular file. A pipe, a socket or a device could block the reader forever or be endless, so they are not
 * opened.
 *
 * @param maxBytes a larger file is not read
 * @throws Error with `code`: `EISDIR`, `ENOTREG` (neither file nor directory), `EFBIG`, or the system's
 */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  checkKind(statSync(path), path, maxBytes);
  const fd = openSync(path, flags);
  try {
    const found = fstatSync(fd);
    checkKind(found, path, maxBytes);
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      const part = Buffer.allocUnsafe(Math.max(found.size - size + 1, chunk));
      const bytesRead = readSync(fd, part, 0, part.length, null);
      if (bytesRead === 0) return parts.length === 1 ? (parts[0] ?? part) : Buffer.concat(parts);
      size += bytesRead;
      if (size > maxBytes) throw fault('EFBIG', path);
      parts.push(part.subarray(0, bytesRead));
    }
  } finally {
    closeSync(fd);
  }
}

/** The same, asynchronously. Opening does not block a thread of the pool either. */
export async function readRegularFileAsync(path: string, maxBytes: number): Promise<Buffer> {
  checkKind(await stat(path), path, maxBytes);
  const file = await open(path, flags);
  try {
    checkKind(await file.stat(), path, maxBytes);
    const bytes = await file.readFile();
    if (bytes.length > maxBytes) throw fault('EFBIG', path);
    return bytes;
  } finally {
    await file.close();
  }
}

/** @throws Error with `code` if the path is not a regular file, or the file is too large */
export function checkRegularFile(path: string, maxBytes: number): void {
  checkKind(statSync(path), path, maxBytes);
}

function checkKind(found: FileKind, path: string, maxBytes: number): void {
  if (found.isDirectory()) throw fault('EISDIR', path);
  if (!found.isFile()) throw fault('ENOTREG', path);
  if (found.size > maxBytes) throw fault('EFBIG', path);
}

const descriptions = { EISDIR: 'it is a directory', ENOTREG: 'it is not a regular file', EFBIG: 'it is too large' } as const;

function fault(code: keyof typeof descriptions, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${descriptions[code]}, read "${path}"`), { code, path });
}
