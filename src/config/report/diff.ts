import { isDeepStrictEqual } from 'node:util';
import type { Steps } from '../../core/async/steps.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Overridden } from '../check/context.ts';
import type { GatewayConfig } from '../schema/index.ts';

/** Maps of named entries: each entry is one change. */
const maps = ['providers', 'virtual_keys', 'api_keys', 'configs', 'prompts', 'pricing'] as const satisfies readonly (keyof GatewayConfig)[];

/** Settings: each key is one change. */
const settings = ['server', 'auth', 'logging', 'observability'] as const satisfies readonly (keyof GatewayConfig)[];

/** Lists that are compared as a whole. */
const lists = ['plugins', 'provider_plugins'] as const satisfies readonly (keyof GatewayConfig)[];

/** Keys of `server` that a running gateway cannot change: bound sockets, open files. */
const restartSettings: ReadonlySet<string> = new Set([
  'listen',
  'probe_listen',
  'state_dir',
  'state_dir_required',
  'state_dir_shared',
  'workers',
]);

/** A named entry, a setting or a list that differs. A side without it is undefined. */
export interface EntryChange {
  readonly sign: '+' | '-' | '~';
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Compares two configurations, one entry in each step. The order of maps does not matter, the order of lists does. */
export function* changeSteps(before: GatewayConfig, after: GatewayConfig): Steps<readonly EntryChange[]> {
  const changes: EntryChange[] = [];
  for (const key of [...maps, ...settings]) {
    const [olds, news] = [toPlain(before[key]), toPlain(after[key])];
    for (const name of new Set([...Object.keys(olds), ...Object.keys(news)])) {
      yield;
      const sign = signOf(olds, news, name);
      if (sign !== undefined) changes.push({ sign, path: [key, name], before: olds[name], after: news[name] });
    }
  }
  for (const key of lists)
    if (!isDeepStrictEqual(before[key], after[key])) changes.push({ sign: '~', path: [key], before: before[key], after: after[key] });
  return changes;
}

/**
 * Names of the changed entries, without those that only a restart changes: for example `~configs.support`, `+providers.claude`,
 * `-api_keys.old`, `~server.max_body`.
 */
export const changedKeys = (changes: readonly EntryChange[]): readonly string[] =>
  changes
    .filter(({ path: [key, name = ''] }) => !(key === 'server' && restartSettings.has(name)))
    .map(({ sign, path }) => sign + path.join('.'));

/**
 * The keys whose new value needs a restart, for example `server.listen`.
 *
 * @param overridden keys set by flags: a new value in the file has no effect, even after a restart
 */
export function restartKeys(before: GatewayConfig, after: GatewayConfig, overridden: readonly Overridden[] = []): readonly string[] {
  const overriddenKeys: ReadonlySet<string> = new Set(overridden.map((key) => `server.${key}`));
  const [was, is] = [toPlain(before.server), toPlain(after.server)];
  const [wasAdmin, isAdmin] = [adminOf(before), adminOf(after)];
  return [
    ...[...restartSettings].filter((name) => signOf(was, is, name) !== undefined).map((name) => `server.${name}`),
    ...listenerKeys.filter((name) => !isDeepStrictEqual(wasAdmin[name], isAdmin[name])).map((name) => `server.admin.${name}`),
    ...diffStore(before, after),
  ].filter((key) => !overriddenKeys.has(key));
}

/** Keys of `server.admin` that affect its socket. */
const listenerKeys = ['listen', 'enabled'] as const;

const adminOf = ({ server }: GatewayConfig): JsonObject => ({ enabled: true, ...server?.admin });

/** Keys of `logging.requests` that are applied only at start. */
const storeKeys = ['store', 'spool_size', 'memory_rows'] as const;

function diffStore({ logging: before }: GatewayConfig, { logging: after }: GatewayConfig): string[] {
  if ((before?.requests === 'off') !== (after?.requests === 'off')) return ['logging.requests'];
  const [was, is] = [toPlain(before?.requests), toPlain(after?.requests)];
  return storeKeys.filter((key) => !isDeepStrictEqual(was[key], is[key])).map((key) => `logging.requests.${key}`);
}

/** How a member differs; undefined if it does not. */
function signOf(before: JsonObject, after: JsonObject, name: string): '+' | '-' | '~' | undefined {
  if (!Object.hasOwn(before, name)) return Object.hasOwn(after, name) ? '+' : undefined;
  if (!Object.hasOwn(after, name)) return '-';
  return isDeepStrictEqual(before[name], after[name]) ? undefined : '~';
}

function toPlain(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
