import { fittingTable } from '../fitting-table.ts';
import { jsonText } from '../text.ts';
import { printable } from '../../core/text/printable.ts';
import { keyIdOf } from '../../core/secrets/key.ts';
import { formatAge } from '../../core/text/units.ts';
import type { WrittenKey } from '../../config/edit/written.ts';
import { digestOf, type KeyState, searchTextOf, stateOf, timeOf } from '../../manage/keys/shared.ts';
import { openConfig } from './shared.ts';
import { type KeyUsage, keyUsage } from './usage.ts';
import { exitCodes, sameFile, type CommonFlags } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { moneyText } from '../../query/money.ts';
import { wordMatcher } from '../../query/text.ts';

interface Secret {
  readonly id: string | null;
  readonly prefix: string | null;
  /** Set for an older secret: the end of its overlap. */
  readonly until: string | null;
  readonly last_used: string | null;
}

interface Listed {
  readonly name: string;
  readonly state: KeyState;
  readonly allow: NonNullable<WrittenKey['entry']['allow']>;
  readonly default_config: string | null;
  readonly created: string | null;
  readonly expires: string | null;
  readonly revoked: string | null;
  /** Since the first of the month (UTC), as an exact decimal. */
  readonly cost_month_usd: string | null;
  /** Requests of this month whose price is unknown. */
  readonly unpriced_month: number | null;
  /** Newest first. */
  readonly secrets: readonly Secret[];
}

export interface ListFlags extends CommonFlags {
  readonly find?: string;
}

/** `gateway keys list`: lists keys, their permissions and costs, and when each secret was last used. Returns the exit code. */
export async function listKeys(flags: ListFlags, io: CliIo): Promise<number> {
  const all = openConfig(flags, io);
  const matches = wordMatcher(flags.find ?? '');
  const config =
    matches === undefined ? all : { ...all, keys: all.keys.filter(({ name, entry }) => matches(searchTextOf(name, entry, Date.now()))) };
  const warn = (why: string): void =>
    void io.stderr.write(`warning: the use of keys is shown without the request log: ${printable(why)}\n`);
  const usage = await keyUsage(config, io.cwd, warn);
  const now = Date.now();
  const keys = config.keys.map((key) => listedOf(key, usage, now));
  if (flags.json === true) io.stdout.write(jsonText(keys));
  else if (keys.length === 0 && all.keys.length > 0) io.stderr.write('no key matches all of these words\n');
  else if (keys.length === 0) io.stderr.write(`no keys are defined; to create one: ${sameFile('gateway keys create NAME', flags)}\n`);
  else io.stdout.write(fittingTable([head, ...keys.flatMap((key) => rowsOf(key, now))], { ...fit, width: terminalWidth(io.stdout) }));
  return exitCodes.yes;
}

function listedOf({ name, entry }: WrittenKey, { used, costs }: KeyUsage, now: number): Listed {
  const secret = (hash: string | undefined, prefix: string | undefined, until: string | null): Secret => {
    const digest = digestOf(hash);
    const id = digest === undefined ? null : keyIdOf(digest);
    const at = id === null ? undefined : used.get(id);
    return { id, prefix: prefix ?? null, until, last_used: at === undefined ? null : new Date(at).toISOString() };
  };
  const cost = costs.get(name);
  const older = (entry.previous ?? []).filter((one) => (timeOf(one.until) ?? 0) > now);
  return {
    name,
    state: stateOf(entry, now),
    allow: entry.allow ?? {},
    default_config: entry.default_config ?? null,
    created: entry.created ?? null,
    expires: entry.expires ?? null,
    revoked: entry.revoked ?? null,
    cost_month_usd: cost === undefined ? null : moneyText(cost.units),
    unpriced_month: cost?.unpriced ?? null,
    secrets: [secret(entry.hash, entry.prefix, null), ...older.map((one) => secret(one.hash, one.prefix, one.until))],
  };
}

const head = ['NAME', 'KEY', 'MAY USE', 'CREATED', 'EXPIRES', 'LAST USED', 'COST THIS MONTH'];
const fit = { removable: ['CREATED', 'MAY USE', 'COST THIS MONTH', 'KEY'], flexible: ['MAY USE'] };

function rowsOf(key: Listed, now: number): string[][] {
  const [first, ...older] = key.secrets;
  const ends =
    key.state === 'revoked'
      ? `revoked ${dayOf(key.revoked)}`
      : key.state === 'expired'
        ? `expired ${dayOf(key.expires)}`
        : dayOf(key.expires);
  const unknown = key.unpriced_month ? ` + ${key.unpriced_month} unknown` : '';
  const cost = key.cost_month_usd === null ? '-' : `$${key.cost_month_usd}${unknown}`;
  const rows = [[key.name, prefixOf(first), scopeOf(key), dayOf(key.created), ends, agoOf(first, now), cost]];
  for (const secret of older) rows.push(['  older secret', prefixOf(secret), '', '', minuteOf(secret.until), agoOf(secret, now)]);
  return rows;
}

function scopeOf({ allow, default_config: standard }: Listed): string {
  const parts = (['configs', 'providers', 'models', 'prompts'] as const).flatMap((what) => {
    const names = allow[what];
    return names === undefined ? [] : [`${what} ${names.length === 0 ? 'none' : names.join(',')}`];
  });
  if (parts.length === 0) parts.push('all');
  return [...parts, ...(standard === null ? [] : [`default ${standard}`])].join(' · ');
}

const prefixOf = (secret: Secret | undefined): string => (secret?.prefix ? `${secret.prefix}…` : '-');
const dayOf = (text: string | null): string => text?.slice(0, 10) ?? '-';
const minuteOf = (text: string | null): string => text?.slice(0, 16).replace('T', ' ') ?? '-';

const agoOf = (secret: Secret | undefined, now: number): string => (secret?.last_used ? formatAge(Date.parse(secret.last_used), now) : '-');
