import { isDeepStrictEqual } from 'node:util';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Overridden } from '../check/context.ts';
import type { GatewayConfig } from '../schema/index.ts';

/** What a new configuration changes, as the reload line shows it. Names only, never values. */
export interface ConfigChanges {
  /** `~configs.support`, `+providers.claude`, `-api_keys.old`, `~server.max_body`. */
  readonly changes: readonly string[];
  /** Keys whose new value needs a restart: `server.listen`. */
  readonly restart: readonly string[];
}

/** Maps of named things: one entry is one change. */
const maps = ['providers', 'virtual_keys', 'api_keys', 'configs', 'prompts', 'pricing'] as const satisfies readonly (keyof GatewayConfig)[];

/** Settings: one key is one change. */
const settings = ['server', 'auth', 'logging', 'observability'] as const satisfies readonly (keyof GatewayConfig)[];

/** Lists that count as one thing. */
const lists = ['plugins', 'provider_plugins'] as const satisfies readonly (keyof GatewayConfig)[];

/** What a running gateway can't change: sockets that are bound, files that are open. */
const waiting: ReadonlySet<string> = new Set([
  'server.listen',
  'server.probe_listen',
  'server.state_dir',
  'server.state_dir_required',
  'server.state_dir_shared',
  'server.workers',
]);

/**
 * Compares two configurations. The order of maps does not count, the order of lists does.
 *
 * @param overridden by flags: another value in the file would change nothing, also after a restart
 */
export function diffConfigs(before: GatewayConfig, after: GatewayConfig, overridden: readonly Overridden[] = []): ConfigChanges {
  const decided: ReadonlySet<string> = new Set(overridden.map((key) => `server.${key}`));
  const found = [...maps, ...settings].flatMap((key) => diffMembers(key, toPlain(before[key]), toPlain(after[key])));
  for (const key of lists) if (!isDeepStrictEqual(before[key], after[key])) found.push({ sign: '~', path: key });
  return {
    changes: found.filter(({ path }) => !waiting.has(path)).map(({ sign, path }) => `${sign}${path}`),
    restart: [
      ...found.filter(({ path }) => waiting.has(path)).map(({ path }) => path),
      ...ofListener.filter((key) => !isDeepStrictEqual(adminOf(before)[key], adminOf(after)[key])).map((key) => `server.admin.${key}`),
      ...diffStore(before, after),
    ].filter((key) => !decided.has(key)),
  };
}

/** Of `server.admin`: what decides about its socket. */
const ofListener = ['listen', 'enabled'] as const;

const adminOf = ({ server }: GatewayConfig): Plain => ({ enabled: true, ...server?.admin });

/** Of `logging.requests`: what is opened once. */
const ofStore = ['store', 'spool_size', 'memory_rows'] as const;

function diffStore({ logging: before }: GatewayConfig, { logging: after }: GatewayConfig): string[] {
  if ((before?.requests === 'off') !== (after?.requests === 'off')) return ['logging.requests'];
  const [was, is] = [toPlain(before?.requests), toPlain(after?.requests)];
  return ofStore.filter((key) => !isDeepStrictEqual(was[key], is[key])).map((key) => `logging.requests.${key}`);
}

interface Change {
  readonly sign: '+' | '-' | '~';
  readonly path: string;
}

function diffMembers(key: string, before: Plain, after: Plain): Change[] {
  const changes: Change[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    if (was && is && isDeepStrictEqual(before[name], after[name])) continue;
    changes.push({ sign: was && is ? '~' : is ? '+' : '-', path: `${key}.${name}` });
  }
  return changes;
}

function toPlain(value: unknown): Plain {
  return isPlain(value) ? value : {};
}
