import { formatPath } from '../../config/read/node.ts';
import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import { keyIdOf } from '../../core/secrets/key.ts';
import { firstDayOfMonth } from '../../core/logs/day.ts';
import type { Figures, Spent } from '../../core/logs/reader.ts';
import { digestOf, searchTextOf, timeOf } from '../../manage/keys/shared.ts';
import { toStorable } from '../../query/text.ts';
import type { KeyPage, KeyView } from '../api-types.ts';
import type { ManagedGateway } from '../managed-gateway.ts';
import { keyLimits, type LimitedKey, limitedKeys, type LimitUse, readLimitUse, type RequestsUsed, unknownUse } from './limit-use.ts';
import { figuresOf, readLog } from './named-figures.ts';
import { type PageQuery, pageOf } from './page.ts';

export interface KeyQuery extends PageQuery {
  /** Also what only the request log has. */
  readonly withUsage: boolean;
}

/** Milliseconds to wait for the file and line of each key: with usage, and without it, when the list must appear at once. */
const locateWaitMs = { whole: 5000, quick: 300 } as const;

/** A page of the API keys of the active configuration, in the order of the files. */
export async function keysOf(subject: ManagedGateway, query: KeyQuery): Promise<KeyPage> {
  const { withUsage } = query;
  const now = Date.now();
  const all = Object.entries(subject.loaded().tree.api_keys ?? {}).filter(([name]) => !name.startsWith('x-'));
  const locations = await subject.locations(withUsage ? locateWaitMs.whole : locateWaitMs.quick);
  const textOf = ([name, entry]: (typeof all)[number]): string => {
    const ids = [entry, ...(entry.previous ?? [])].map(({ hash }) => keyIdOf(digestOf(hash) ?? ''));
    return [searchTextOf(name, entry, now), ...ids, locations[pathOf(name)]?.file].join(' ');
  };
  const { entries: keys, page } = pageOf(all, query, ([name]) => name, textOf);
  const names = keys.map(([name]) => name);
  const limited = limitedKeys(keys);
  const usage = withUsage && keys.length > 0 ? await usageOf(subject, names, limited, now) : noUsage;
  const requestsUsed: RequestsUsed | undefined = withUsage ? (key, rate) => subject.requestsUsed(key, rate) : undefined;
  const limits = new Map(limited.map((key) => [key.name, keyLimits(key, usage.ofLimits, requestsUsed, now)]));
  const viewOfKey = ([name, entry]: (typeof keys)[number]): KeyView =>
    viewOf(name, entry, { at: locations[pathOf(name)] ?? null, limits: limits.get(name) ?? null, usage });
  return { keys: keys.map(viewOfKey), ...page };
}

const pathOf = (name: string): string => formatPath(['api_keys', name]);

/** What the request log has about the keys of a page. */
interface Usage {
  readonly today: ((name: string) => Figures) | undefined;
  readonly month: Readonly<Record<string, Spent>> | undefined;
  readonly used: Readonly<Record<string, number>> | undefined;
  readonly ofLimits: LimitUse;
  readonly fault: string | null;
}

const noUsage: Usage = { today: undefined, month: undefined, used: undefined, ofLimits: unknownUse, fault: null };

/** Ends with the first error, because each query to a database that does not respond takes long. */
async function usageOf(subject: ManagedGateway, names: readonly string[], limited: readonly LimitedKey[], now: number): Promise<Usage> {
  const { found: used, fault: faultOfUse } = await readLog(subject, (logs) => logs.keysUsed());
  if (faultOfUse !== null) return { ...noUsage, fault: faultOfUse };
  const date = new Date(now).toISOString().slice(0, 10);
  const { found: today, fault: faultOfToday } = await readLog(subject, (logs) => figuresOf(logs, 'key', names, date));
  if (faultOfToday !== null) return { ...noUsage, used, fault: faultOfToday };
  const { found: month, fault: faultOfMonth } = await readLog(subject, (logs) => logs.spent(firstDayOfMonth(now), names));
  if (faultOfMonth !== null) return { ...noUsage, used, today, fault: faultOfMonth };
  const { found: ofLimits = unknownUse, fault } = await readLog(subject, (logs) => readLimitUse(logs, limited, now));
  return { used, today, month, ofLimits, fault };
}

function viewOf(
  name: string,
  entry: GatewayKeyEntry,
  { at, limits, usage }: Pick<KeyView, 'at' | 'limits'> & { readonly usage: Usage },
): KeyView {
  const secrets = [{ ...entry, until: undefined }, ...(entry.previous ?? [])].map(({ hash, prefix, until }) => {
    const id = keyIdOf(digestOf(hash) ?? '');
    return { id, prefix: prefix ?? null, last_used: usage.used?.[id] ?? null, retires: timeOf(until) ?? null };
  });
  return {
    name,
    at,
    secrets,
    configs: entry.allow?.configs ?? null,
    providers: entry.allow?.providers ?? null,
    models: entry.allow?.models ?? null,
    prompts: entry.allow?.prompts ?? null,
    default_config: entry.default_config ?? null,
    enforce_config: entry.enforce_config === true,
    bodies: entry.log?.bodies ?? null,
    limits,
    created: timeOf(entry.created) ?? null,
    expires: timeOf(entry.expires) ?? null,
    revoked: timeOf(entry.revoked) ?? null,
    requests_today: usage.today?.(name).requests ?? null,
    cost_month_usd: usage.month === undefined ? null : (usage.month[toStorable(name)]?.cost_usd ?? '0'),
    log_fault: usage.fault,
  };
}
