import type { LogReader } from '../../core/logs/reader.ts';
import { keyIdOf } from '../../core/secrets/key.ts';
import { digestOf, timeOf } from '../../manage/keys/shared.ts';
import type { KeyView } from '../api-types.ts';
import type { Subject } from '../subject.ts';

/** Keys whose last use is looked up: more are listed without it. */
const mostLooked = 50;

/** The keys of the configuration that serves. */
export async function keysOf(subject: Subject): Promise<readonly KeyView[]> {
  const logs = subject.logs();
  const now = new Date().toISOString();
  const keys = Object.entries(subject.loaded().tree.api_keys ?? {}).filter(([name]) => !name.startsWith('x-'));
  const figures = (since: string) => logs?.stats({ query: `since:${since}`, by: 'key', top: 100 }).catch(() => undefined);
  const [{ places }, today, month, used] = await Promise.all([
    subject.written(),
    figures(now.slice(0, 10)),
    figures(`${now.slice(0, 7)}-01`),
    lastUses(
      keys.slice(0, mostLooked).map(([name]) => name),
      logs,
    ),
  ]);
  return keys.map(([name, entry]): KeyView => {
    const path = /^[\w$-]+$/.test(name) ? `api_keys.${name}` : `api_keys.${JSON.stringify(name)}`;
    const last = used.get(name);
    const secrets = [{ ...entry, until: undefined }, ...(entry.previous ?? [])].map(({ hash, prefix, until }) => {
      const id = keyIdOf(digestOf(hash) ?? '');
      return {
        id,
        prefix: prefix ?? null,
        last_used: last !== undefined && last.id === id ? last.at : null,
        retires: timeOf(until) ?? null,
      };
    });
    return {
      name,
      at: places[path] ?? null,
      secrets,
      configs: entry.allow?.configs ?? null,
      providers: entry.allow?.providers ?? null,
      models: entry.allow?.models ?? null,
      prompts: entry.allow?.prompts ?? null,
      default_config: entry.default_config ?? null,
      enforce_config: entry.enforce_config === true,
      bodies: entry.log?.bodies ?? null,
      created: timeOf(entry.created) ?? null,
      expires: timeOf(entry.expires) ?? null,
      revoked: timeOf(entry.revoked) ?? null,
      requests_today: today?.groups.find((group) => group.name === name)?.requests ?? 0,
      cost_month_usd: month?.groups.find((group) => group.name === name)?.cost_usd ?? '0',
    };
  });
}

/** Which secret of a key was used last, and when. */
async function lastUses(names: readonly string[], logs: LogReader | undefined): Promise<ReadonlyMap<string, { id: string; at: number }>> {
  const found = new Map<string, { id: string; at: number }>();
  if (logs === undefined) return found;
  // One after the other: a page that shows keys must not fill the queue of the store.
  for (const name of names) {
    const row = (await logs.search({ query: `key:"${name}"`, limit: 1 }).catch(() => undefined))?.rows[0];
    const stored = row === undefined ? undefined : await logs.get(row.id).catch(() => undefined);
    const id = stored?.record.key_id;
    if (row !== undefined && typeof id === 'string') found.set(name, { id, at: row.at });
  }
  return found;
}
