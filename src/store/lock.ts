import { linkSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { readRegularFile } from '../core/files/regular-file.ts';
import { objectIn } from '../core/json/scan.ts';
import { errorCode } from '../core/text/error-code.ts';

/** A file that says which process owns the folder it is in. */
export interface Lock {
  release(): void;
}

/** The owner touches its lock this often; on another host, one that was not touched for three times as long is stale. */
const beatMs = 20_000;

/** Takes the lock, also one whose owner is dead; undefined when a living process holds it. Throws what the file system says. */
export function takeLock(path: string): Lock | undefined {
  const mine = identity(process.pid);
  for (let tries = 0; tries < 3; tries += 1) {
    if (create(path, mine)) return hold(path, mine);
    const theirs = readIfThere(path);
    if (theirs === undefined) continue;
    if (isAlive(path, theirs)) return undefined;
    setAside(path, theirs);
  }
  return undefined;
}

/** Who holds a lock, as far as it says. */
export function ownerOf(path: string): { readonly pid: number; readonly host: string } | undefined {
  return parse(readIfThere(path) ?? '');
}

function hold(path: string, mine: string): Lock {
  const beat = setInterval(() => touch(path), beatMs).unref();
  return {
    release() {
      clearInterval(beat);
      if (readIfThere(path) === mine) unlinkSync(path);
    },
  };
}

/** Process id, its start (so that an id that was given away again is not taken for the owner), and host. */
function identity(pid: number): string {
  return JSON.stringify({ pid, start: startOf(pid), host: hostname() });
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // A full disk takes the name and not the text: an empty lock would look like one that is being written.
    if (readIfThere(path) === '') unlinkSync(path);
    throw error;
  }
}

function isAlive(path: string, text: string): boolean {
  const owner = parse(text);
  // Half-written: its owner is at it this very moment, or died there.
  if (owner === undefined || owner.host !== hostname())
    return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 3 * beatMs;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  const start = startOf(owner.pid);
  return start === null || owner.start === null || start === owner.start;
}

/**
 * Takes a stale lock away. Two processes may find it at once: what was moved is looked at again, and put back when it
 * is the other one's fresh lock.
 */
function setAside(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readIfThere(aside) !== stale) linkSync(aside, path);
  } catch {
    // Somebody else was faster: the next round sees what is there now.
  }
  try {
    unlinkSync(aside);
  } catch {
    // Never moved.
  }
}

function parse(text: string): { readonly pid: number; readonly start: string | null; readonly host: string } | undefined {
  const { pid, start, host } = objectIn(text) ?? {};
  if (!Number.isSafeInteger(pid) || typeof host !== 'string') return undefined;
  return { pid: pid as number, start: typeof start === 'string' ? start : null, host };
}

/** Clock ticks since boot at which a process began, where /proc tells; the name before it may hold any character. */
function startOf(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function readIfThere(path: string): string | undefined {
  try {
    return readRegularFile(path, 64 * 1024).toString('utf8');
  } catch {
    return undefined;
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The folder was deleted; nobody can take a lock that is not there from us.
  }
}
