import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Overridden } from '../check/context.ts';
import type { GatewayConfig } from '../schema/index.ts';

/** Changes of a new configuration, as logged on reload. Names only, never values. */
export interface ConfigChanges {
  /** For example `~configs.support`, `+providers.claude`, `-api_keys.old`, `~server.max_body`. */
  readonly changes: readonly string[];
  /** Keys whose new value needs a restart, for example `server.listen`. */
  readonly restart: readonly string[];
}

/** Maps of named entries: each entry is one change. */
const maps = ['providers', 'virtual_keys', 'api_keys', 'configs', 'prompts', 'pricing'] as const satisfies readonly (keyof GatewayConfig)[];

/** Settings: each key is one change. */
const settings = ['server', 'auth', 'logging', 'observability'] as const satisfies readonly (keyof GatewayConfig)[];

/** Lists that are compared as a whole. */
const lists = ['plugins', 'provider_plugins'] as const satisfies readonly (keyof GatewayConfig)[];

/** Settings that a running gateway cannot change: bound sockets, open files. */
const restartSettings: ReadonlySet<string> = new Set([
  'server.listen',
  'server.probe_listen',
  'server.state_dir',
  'server.state_dir_required',
  'server.state_dir_shared',
  'server.workers',
]);

/**
 * Compares two configurations. The order of maps does not matter, the order of lists does.
 *
 * @param overridden keys set by flags: a new value in the file has no effect, even after a restart
 */
export function diffConfigs(before: GatewayConfig, after: GatewayConfig, overridden: readonly Overridden[] = []): ConfigChanges {
  const overriddenKeys: ReadonlySet<string> = new Set(overridden.map((key) => `server.${key}`));
  const found = [...maps, ...settings].flatMap((key) => diffMembers(key, toPlain(before[key]), toPlain(after[key])));
  for (const key of lists) if (!isDeepStrictEqual(before[key], after[key])) found.push({ sign: '~', path: key });
  return {
    changes: found.filter(({ path }) => !restartSettings.has(path)).map(({ sign, path }) => `${sign}${path}`),
    restart: [
      ...found.filter(({ path }) => restartSettings.has(path)).map(({ path }) => path),
      ...listenerKeys.filter((key) => !isDeepStrictEqual(adminOf(before)[key], adminOf(after)[key])).map((key) => `server.admin.${key}`),
      ...diffStore(before, after),
    ].filter((key) => !overriddenKeys.has(key)),
  };
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

interface Change {
  readonly sign: '+' | '-' | '~';
  readonly path: string;
}

function diffMembers(key: string, before: JsonObject, after: JsonObject): Change[] {
  const changes: Change[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    if (was && is && isDeepStrictEqual(before[name], after[name])) continue;
    changes.push({ sign: was && is ? '~' : is ? '+' : '-', path: `${key}.${name}` });
  }
  return changes;
}

function toPlain(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
