import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import type { WrittenKey, WrittenKeys } from '../../config/edit/written.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { parseTime } from '../../core/text/units.ts';
import { Refusal } from '../refusal.ts';

/** The configuration that a command edits. */
export interface OpenConfig extends WrittenKeys {
  /** Absolute path. */
  readonly path: string;
}

/** Returns the key of this name. @throws Refusal */
export function keyNamed(name: string, { keys }: Pick<WrittenKeys, 'keys'>): WrittenKey {
  const key = keys.find((one) => one.name === name);
  if (key !== undefined) return key;
  const names = keys.map((one) => one.name);
  throw new Refusal('no', `no key is called "${name}".${didYouMean(name, names)}`, 'gateway keys list shows all of them.');
}

/** Returns the lower-case hex digits of a hash in the configuration; undefined if it is not valid. */
export function digestOf(hash: string | undefined): string | undefined {
  return /^sha256:([0-9a-f]{64})$/i.exec(hash ?? '')?.[1]?.toLowerCase();
}

/** Formats a time as in the configuration: UTC, to the second. */
export const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Parses a time from the configuration to Unix milliseconds; undefined if there is none. */
export function timeOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : parseTime(text);
  return Number.isNaN(at) ? undefined : at;
}

export type KeyState = 'active' | 'expired' | 'revoked';

/** Returns the state of a key. */
export function stateOf({ revoked, expires }: Partial<GatewayKeyEntry>, now: number): KeyState {
  if ((timeOf(revoked) ?? Number.POSITIVE_INFINITY) <= now) return 'revoked';
  return (timeOf(expires) ?? Number.POSITIVE_INFINITY) <= now ? 'expired' : 'active';
}

/** The text in which a key is searched: its name, state, prefixes and permissions. */
export function searchTextOf(name: string, entry: Partial<GatewayKeyEntry>, now: number): string {
  const { configs, providers, models, prompts } = entry.allow ?? {};
  const permissions = [configs, providers, models, prompts].flatMap((names) => names ?? []);
  const prefixes = [entry, ...(entry.previous ?? [])].map(({ prefix }) => prefix);
  return [name, stateOf(entry, now), entry.default_config, ...prefixes, ...permissions].join(' ');
}
