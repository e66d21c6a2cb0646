import { keyIdOf } from '../../core/secrets/key.ts';
import { digestOf, timeOf } from '../../manage/keys/shared.ts';
import type { KeyView } from '../api-types.ts';
import type { ManagedGateway } from '../managed-gateway.ts';
import { figuresOf, readLog } from './named-figures.ts';

/** The API keys of the active configuration. */
export async function keysOf(subject: ManagedGateway): Promise<readonly KeyView[]> {
  const now = new Date().toISOString();
  const keys = Object.entries(subject.loaded().tree.api_keys ?? {}).filter(([name]) => !name.startsWith('x-'));
  const names = keys.map(([name]) => name);
  const { places } = await subject.written();
  const { found: today, fault: faultOfToday } = await readLog(subject, (logs) => figuresOf(logs, 'key', names, now.slice(0, 10)));
  const { found: month, fault: faultOfMonth } = await readLog(subject, (logs) => figuresOf(logs, 'key', names, `${now.slice(0, 7)}-01`));
  const { found: used, fault: faultOfUse } = await readLog(subject, (logs) => logs.keysUsed());
  return keys.map(([name, entry]): KeyView => {
    const path = /^[\w$-]+$/.test(name) ? `api_keys.${name}` : `api_keys.${JSON.stringify(name)}`;
    const secrets = [{ ...entry, until: undefined }, ...(entry.previous ?? [])].map(({ hash, prefix, until }) => {
      const id = keyIdOf(digestOf(hash) ?? '');
      return {
        id,
        prefix: prefix ?? null,
        last_used: used?.[id] ?? null,
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
      requests_today: today?.(name).requests ?? null,
      cost_month_usd: month?.(name).cost_usd ?? null,
      log_fault: faultOfToday ?? faultOfMonth ?? faultOfUse,
    };
  });
}
