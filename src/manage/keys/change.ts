import { randomInt } from 'node:crypto';
import { blockText, type MemberValue } from '../../config/edit/document.ts';
import type { WrittenKey } from '../../config/edit/written.ts';
import { plainNames } from '../../config/schema/shared.ts';
import { issueKey, type KeyKind, displayPrefix } from '../../core/secrets/key.ts';
import { sha256 } from '../../core/secrets/sha256.ts';
import { parseDuration, parseTime } from '../../core/text/units.ts';
import { Refusal } from '../refusal.ts';
import { checkedLimits, type LimitInput } from './limits.ts';
import { digestOf, type KeyState, stateOf, timeOf, timeText } from './shared.ts';

/** Permissions and limits of a new key; omitted ones are not restricted. */
export interface KeyRules {
  readonly allow: Readonly<Partial<Record<'configs' | 'providers' | 'models' | 'prompts', readonly string[]>>>;
  readonly limits: LimitInput;
  readonly expires: string | undefined;
  readonly defaultConfig: string | undefined;
  readonly enforceConfig: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly debug: boolean;
  readonly kind: KeyKind;
}

/** A newly issued key: the secret, which is shown only once, and its entry for the configuration. */
export interface IssuedKey {
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The entry as YAML. */
  readonly text: string;
}

/** Issues a key. @param now Unix milliseconds @throws Refusal */
export function issue(name: string, rules: KeyRules, keys: readonly WrittenKey[], now: number): IssuedKey {
  if (!new RegExp(plainNames.pattern).test(name))
    throw new Refusal('usage', `"${name}" is not a valid key name`, `Use ${plainNames['x-form']}.`, 'name');
  const taken = keys.find((one) => one.name === name);
  if (taken !== undefined) throw nameTaken(name, stateOf(taken.entry, now));
  const { allow, expires, defaultConfig, enforceConfig, metadata, debug, kind } = rules;
  const limits = checkedLimits(rules.limits);
  const key = issueKey(kind, randomInt);
  const entry = {
    hash: `sha256:${sha256(key)}`,
    prefix: displayPrefix(key),
    created: timeText(now),
    ...(expires === undefined ? {} : { expires: expiryOf(expires, now) }),
    ...(defaultConfig === undefined ? {} : { default_config: defaultConfig }),
    ...(enforceConfig ? { enforce_config: true } : {}),
    ...(Object.keys(allow).length === 0 ? {} : { allow }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(debug ? { debug: true } : {}),
  };
  return { key, entry, text: blockText('api_keys', name, entry) };
}

/** Only an active key can be rotated. */
function nameTaken(name: string, state: KeyState): Refusal {
  const hint =
    state === 'active' ? `gateway keys rotate ${name} gives it a new secret.` : `It is ${state}: choose another name, or remove its entry.`;
  return new Refusal('no', `a key called "${name}" already exists`, hint, 'name');
}

/** The first time after the year 9999. Unix milliseconds. */
const lastTime = Date.UTC(10_000, 0);

/** Accepts `90d`, a date, or a time. */
function expiryOf(text: string, now: number): string {
  const life = /^\d+(\.\d+)?[a-z]+$/i.test(text) ? parseDuration(text) : undefined;
  if (life !== undefined && life > 0) {
    if (now + life >= lastTime)
      throw new Refusal('usage', `expires ${text} is after the year 9999`, 'Leave it out: the key never expires.', 'expires');
    return timeText(now + life);
  }
  if (!/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) || Number.isNaN(parseTime(text)))
    throw new Refusal('usage', `expires must be a duration or a date, not "${text}"`, 'For example 90d, or 2027-03-01.', 'expires');
  if (parseTime(text) <= now) throw new Refusal('usage', `expires ${text} is in the past`, undefined, 'expires');
  return text;
}

/** Maximum overlap: a year. Anything longer would be a second permanent key. */
const longestOverlap = 366 * 86_400_000;

export interface Rotation {
  readonly key: string;
  /** When the old secret expires; undefined: immediately. */
  readonly until: string | undefined;
  /** Number of secrets from earlier rotations whose overlap has not ended. */
  readonly older: number;
  readonly members: Readonly<Record<string, MemberValue>>;
}

/** Issues a second secret for a key. The old one works until the overlap ends. @param now Unix milliseconds @throws Refusal */
export function rotate({ name, entry }: WrittenKey, overlapText: string, now: number): Rotation {
  const overlap = parseDuration(overlapText);
  if (overlap === undefined || overlap > longestOverlap || !/[a-z]$/i.test(overlapText))
    throw new Refusal(
      'usage',
      `overlap must be a duration with a unit, not "${overlapText}"`,
      'For example 24h, 7d, or 0s to end the old secret at once.',
    );
  const state = stateOf(entry, now);
  if (state !== 'active')
    throw new Refusal(
      'no',
      `the key "${name}" is ${state}; a new secret would not work`,
      'Create another key with: gateway keys create NAME',
    );
  if (digestOf(entry.hash) === undefined) throw new Refusal('invalid', `the key "${name}" has no readable hash`, 'Run: gateway check');
  const key = issueKey(entry.prefix?.startsWith('gw_test_') === true ? 'test' : 'live', randomInt);
  // Older secrets expire with the key at the latest.
  const until = timeText(Math.min(now + overlap, timeOf(entry.expires) ?? Infinity, timeOf(entry.revoked) ?? Infinity));
  const older = (entry.previous ?? []).filter((one) => (timeOf(one.until) ?? 0) > now);
  const last = { hash: entry.hash ?? '', ...(entry.prefix === undefined ? {} : { prefix: entry.prefix }), until };
  const previous = overlap === 0 ? older : [last, ...older];
  const keepsList = previous.length > 0 || entry.previous !== undefined;
  const members = {
    hash: `sha256:${sha256(key)}`,
    prefix: displayPrefix(key) ?? '',
    ...(keepsList ? { previous: previous.map(orderedMembers) } : {}),
  };
  return { key, until: overlap === 0 ? undefined : until, older: older.length, members };
}

/** Fixes the order of the members in the file. */
function orderedMembers({ hash, prefix, until }: { hash: string; prefix?: string; until: string }): Record<string, string> {
  return { hash, ...(prefix === undefined ? {} : { prefix }), until };
}

/** Revokes all secrets of the key immediately. @param now Unix milliseconds @throws Refusal */
export function revoke({ name, entry }: WrittenKey, now: number): { readonly revoked: string } {
  if (stateOf(entry, now) === 'revoked') throw new Refusal('no', `the key "${name}" is already revoked (${entry.revoked})`);
  return { revoked: timeText(now) };
}
