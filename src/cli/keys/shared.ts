import { createHash } from 'node:crypto';
import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import { readKeys, type WrittenKey, type WrittenKeys } from '../../config/edit/written.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { needConfig } from '../find-config.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import type { CliIo } from '../io.ts';

/** The configuration that a command works on. */
export interface OpenConfig extends WrittenKeys {
  /** Absolute. */
  readonly path: string;
}

/** Finds and reads the configuration. @throws CommandError when there is none, or it is not readable */
export function openConfig(flags: CommonFlags, io: CliIo): OpenConfig {
  const found = needConfig(flags.config, io, 'Name a file: -c FILE');
  if (!('path' in found)) throw new CommandError(exitCodes.usage, 'keys are kept in files: standard input cannot be the configuration');
  const written = readKeys(found, io);
  if (written.broken.length > 0)
    throw new CommandError(exitCodes.invalid, `${written.broken.join(' and ')} cannot be read`, 'Run: gateway check');
  return { ...written, path: found.path };
}

/** The entry of this name. @throws CommandError */
export function keyNamed(name: string, { keys }: OpenConfig): WrittenKey {
  const key = keys.find((one) => one.name === name);
  if (key !== undefined) return key;
  const names = keys.map((one) => one.name);
  throw new CommandError(exitCodes.no, `no key is called "${name}".${didYouMean(name, names)}`, 'gateway keys list shows all of them.');
}

/** The lower-case hex digits of a written hash; undefined for what is none. */
export function digestOf(hash: string | undefined): string | undefined {
  return /^sha256:([0-9a-f]{64})$/i.exec(hash ?? '')?.[1]?.toLowerCase();
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
