import { linkSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { readRegularFile } from '../core/files/regular-file.ts';
import { objectIn } from '../core/json/scan.ts';
import { errorCode } from '../core/text/error-code.ts';

/** A lock file, which names the process that owns its folder. */
export interface Lock {
  release(): void;
}

/** Milliseconds between touches of the lock by its owner. A lock from another host is stale if not touched for three intervals. */
const beatMs = 20_000;

/** Acquires the lock, also if its owner is dead. Undefined if a living process holds it. Throws file system errors. */
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

/** The owner that a lock file names, if it is readable. */
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

/** Process id, its start time (so that a reused id is not mistaken for the owner), and host. */
function identity(pid: number): string {
  return JSON.stringify({ pid, start: startOf(pid), host: hostname() });
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // A full disk may create the file without its text. An empty lock would look like one that is being written.
    if (readIfThere(path) === '') unlinkSync(path);
    throw error;
  }
}

function isAlive(path: string, text: string): boolean {
  const owner = parse(text);
  // A partly written lock: its owner is writing it, or died while doing so.
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
 * Removes a stale lock. Two processes may find it at the same time, so the moved file is checked again, and put back if
 * it is the other process's new lock.
 */
function setAside(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readIfThere(aside) !== stale) linkSync(aside, path);
  } catch {
    // Another process was faster. The next attempt reads the current state.
  }
  try {
    unlinkSync(aside);
  } catch {
    // The file was not moved.
  }
}

function parse(text: string): { readonly pid: number; readonly start: string | null; readonly host: string } | undefined {
  const { pid, start, host } = objectIn(text) ?? {};
  if (!Number.isSafeInteger(pid) || typeof host !== 'string') return undefined;
  return { pid: pid as number, start: typeof start === 'string' ? start : null, host };
}

/** Clock ticks since boot when a process started, if /proc is available. The process name before it may contain any character. */
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
    // The folder was deleted. Without the file, no other process can take this lock.
  }
}
