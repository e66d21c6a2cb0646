import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../core/text/error-code.ts';

const headerBytes = 32;
const frameHeaderBytes = 24;
/** First bytes of a write-ahead log; the last bit is the byte order of its checksums. */
const magic = 0x37_7f_06_82;
/** Bytes of a header that have a checksum, after which it is written. */
const summedBytes = { header: 24, frame: 8 } as const;
const frameSumAt = 16;

/** Removes what SQLite left out of a log, so that it is not found again after the next killed process. */
export const emptyLog = 'PRAGMA wal_checkpoint(TRUNCATE)';

/**
 * True if SQLite will leave out transactions of a write-ahead log. It reads the log up to the first damaged page, and then
 * overwrites the rest without a message. Pages after that point with the mark of this log (the salt) and of the end of a
 * transaction (the size of the database) belong to such transactions. The log is read without SQLite, which does not tell
 * how far it read; its index (`-shm`) must not be opened, because closing it would release SQLite's locks.
 */
export function hasLostTransactions(path: string): boolean {
  // Twice, because another process may write to the log while it is read.
  return isIncomplete(`${path}-wal`) && isIncomplete(`${path}-wal`);
}

function isIncomplete(log: string): boolean {
  const fd = openLog(log);
  if (fd === undefined) return false;
  try {
    const header = read(fd, 0, headerBytes);
    if (header.length < headerBytes) return false;
    const sums = new Checksums((header.readUInt32BE(0) & 1) === 1);
    sums.add(header, 0, summedBytes.header);
    if (((header.readUInt32BE(0) ^ magic) & ~1) !== 0 || !sums.areAt(header, summedBytes.header)) return true;
    return hasTransactionsAfterDamage(fd, header, sums);
  } finally {
    closeSync(fd);
  }
}

/**
 * Pages are written in order, so only the first damaged one can be the last that a killed process wrote, with its mark but
 * in a log that was begun again not yet its content.
 */
function hasTransactionsAfterDamage(fd: number, header: Buffer, sums: Checksums): boolean {
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
  const salt = header.subarray(16, 24);
  const { size } = fstatSync(fd);
  let isDamaged = false;
  for (let at = headerBytes; at + frameBytes <= size; at += frameBytes) {
    const frame = read(fd, at, isDamaged ? frameHeaderBytes : frameBytes);
    const isOfThisLog = frame.subarray(8, 16).equals(salt);
    if (isDamaged) {
      if (isOfThisLog && frame.readUInt32BE(4) !== 0) return true;
      continue;
    }
    // Another process may have shortened the log in the meantime.
    if (frame.length < frameBytes) return false;
    sums.add(frame, 0, summedBytes.frame);
    sums.add(frame, frameHeaderBytes, frameBytes);
    isDamaged = !isOfThisLog || !sums.areAt(frame, frameSumAt);
  }
  return false;
}

/** The two checksums of a log, which continue from page to page. */
class Checksums {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0;
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0;
    }
  }

  areAt(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
  }
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function read(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}
