import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import { readKeys, type WrittenKey, type WrittenKeys } from '../../config/edit/written-keys.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { findConfig } from '../find-config.ts';

/** What the commands about keys touch beyond files. */
export interface KeysIo {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  stdin(): Promise<string>;
  /** Unix milliseconds. */
  now(): number;
  /** A whole number from 0 up to, not including, `below`; unpredictable. */
  random(below: number): number;
}

export interface KeysFlags {
  /** `-c`. */
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Exit codes. */
export const exit = { done: 0, no: 1, usage: 2, config: 3 } as const;

/** A command that can't do what it was asked: a sentence, a way out, and the exit code. */
export class KeysFault extends Error {
  readonly code: number;
  readonly hint: string | undefined;

  constructor(code: number, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Runs a command; what it can't do is said on stderr. */
export async function reported(io: KeysIo, run: () => Promise<number> | number): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof KeysFault)) throw error;
    io.stderr(`error: ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
    return error.code;
  }
}

/** The configuration that a command works on. */
export interface OpenConfig extends WrittenKeys {
  /** Absolute. */
  readonly path: string;
}

/** Finds and reads the configuration. @throws KeysFault when there is none, or it is not readable */
export function openConfig(flags: KeysFlags, io: KeysIo): OpenConfig {
  const found = findConfig(flags.config, io.env, io.cwd);
  if ('looked' in found)
    throw new KeysFault(exit.config, `no configuration found; looked for ${found.looked.join(' and ')}`, 'Name a file: -c FILE');
  if (!('path' in found)) throw new KeysFault(exit.usage, 'keys are kept in files: standard input cannot be the configuration');
  const written = readKeys(found, io);
  if (written.broken.length > 0) throw new KeysFault(exit.config, `${written.broken.join(' and ')} cannot be read`, 'Run: gateway check');
  return { ...written, path: found.path };
}

/** The entry of this name. @throws KeysFault */
export function keyNamed(name: string, { keys }: OpenConfig): WrittenKey {
  const key = keys.find((one) => one.name === name);
  if (key !== undefined) return key;
  const names = keys.map((one) => one.name);
  throw new KeysFault(exit.no, `no key is called "${name}".${didYouMean(name, names)}`, 'gateway keys list shows all of them.');
}

/** The lower-case hex digits of a written hash; undefined for what is none. */
export function digestOf(hash: string | undefined): string | undefined {
  return /^sha256:([0-9a-f]{64})$/i.exec(hash ?? '')?.[1]?.toLowerCase();
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A path for people: relative where it is below the folder they are in. */
export function shown(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

/** To the second, in UTC: as times stand in the file. */
export const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Unix milliseconds of a written time; undefined where there is none. */
export function timeOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

export type KeyState = 'active' | 'expired' | 'revoked';

/** What became of a key. */
export function stateOf({ revoked, expires }: Partial<GatewayKeyEntry>, now: number): KeyState {
  if ((timeOf(revoked) ?? Number.POSITIVE_INFINITY) <= now) return 'revoked';
  return (timeOf(expires) ?? Number.POSITIVE_INFINITY) <= now ? 'expired' : 'active';
}
