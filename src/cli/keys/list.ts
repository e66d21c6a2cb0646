import { fittingTable, type TableFit } from '../fitting-table.ts';
import { jsonText } from '../text.ts';
import { printable } from '../../core/text/printable.ts';
import { keyIdOf } from '../../core/secrets/key.ts';
import { formatAge } from '../../core/text/units.ts';
import { periodStart } from '../../core/limits/budget-period.ts';
import { firstDayOfMonth } from '../../core/logs/day.ts';
import type { WrittenKey } from '../../config/edit/written.ts';
import { digestOf, type KeyState, searchTextOf, stateOf, timeOf } from '../../manage/keys/shared.ts';
import { openConfig } from './shared.ts';
import { budgetDays, budgetOf, limitTexts } from './limits.ts';
import { type KeyUsage, keyUsage } from './usage.ts';
import { exitCodes, sameFile, type CommonFlags } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { moneyText, sumUnits } from '../../query/money.ts';
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
  /** As written. */
  readonly limits: NonNullable<WrittenKey['entry']['limits']> | null;
  /** Of the budget, in the current day, week or month (UTC), as an exact decimal. */
  readonly budget_spent_usd: string | null;
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

/** `gateway keys list`: lists keys, their permissions, limits and costs, and when each secret was last used. Returns the exit code. */
export async function listKeys(flags: ListFlags, io: CliIo): Promise<number> {
  const all = openConfig(flags, io);
  const matches = wordMatcher(flags.find ?? '');
  const config =
    matches === undefined ? all : { ...all, keys: all.keys.filter(({ name, entry }) => matches(searchTextOf(name, entry, Date.now()))) };
  const warn = (why: string): void =>
    void io.stderr.write(`warning: the use of keys is shown without the request log: ${printable(why)}\n`);
  const now = Date.now();
  const days = new Set([firstDayOfMonth(now), ...budgetDays(config.keys, now)]);
  const usage = await keyUsage(config, io.cwd, days, warn);
  const keys = config.keys.map((key) => listedOf(key, usage, now));
  if (flags.json === true) io.stdout.write(jsonText(keys));
  else if (keys.length === 0 && all.keys.length > 0) io.stderr.write('no key matches all of these words\n');
  else if (keys.length === 0) io.stderr.write(`no keys are defined; to create one: ${sameFile('gateway keys create NAME', flags)}\n`);
  else io.stdout.write(fittingTable(tableOf(keys, now), fitOf(terminalWidth(io.stdout))));
  return exitCodes.yes;
}

function listedOf({ name, entry }: WrittenKey, { used, costs }: KeyUsage, now: number): Listed {
  const secret = (hash: string | undefined, prefix: string | undefined, until: string | null): Secret => {
    const digest = digestOf(hash);
    const id = digest === undefined ? null : keyIdOf(digest);
    const at = id === null ? undefined : used.get(id);
    return { id, prefix: prefix ?? null, until, last_used: at === undefined ? null : new Date(at).toISOString() };
  };
  const cost = costs.get(firstDayOfMonth(now))?.get(name);
  const budget = budgetOf(entry.limits);
  const spent = budget === undefined ? undefined : costs.get(periodStart(budget.period, now))?.get(name);
  const older = (entry.previous ?? []).filter((one) => (timeOf(one.until) ?? 0) > now);
  return {
    name,
    state: stateOf(entry, now),
    allow: entry.allow ?? {},
    default_config: entry.default_config ?? null,
    limits: entry.limits ?? null,
    budget_spent_usd: spent === undefined ? null : moneyText(spent.units),
    created: entry.created ?? null,
    expires: entry.expires ?? null,
    revoked: entry.revoked ?? null,
    cost_month_usd: cost === undefined ? null : moneyText(cost.units),
    unpriced_month: cost?.unpriced ?? null,
    secrets: [secret(entry.hash, entry.prefix, null), ...older.map((one) => secret(one.hash, one.prefix, one.until))],
  };
}

const head = ['NAME', 'KEY', 'MAY USE', 'LIMITS', 'CREATED', 'EXPIRES', 'LAST USED', 'COST THIS MONTH'];
const removable = ['CREATED', 'MAY USE', 'COST THIS MONTH', 'KEY'];
/** Columns of a terminal in which limits are shown, truncated if necessary. */
const leastForLimits = 60;

function fitOf(width: number | undefined): TableFit {
  const isNarrow = width !== undefined && width < leastForLimits;
  return { width, removable: isNarrow ? [...removable, 'LIMITS'] : removable, flexible: ['MAY USE', 'LIMITS'] };
}

/** The rows with their heading, without the limits if no key has one. */
function tableOf(keys: readonly Listed[], now: number): readonly (readonly string[])[] {
  const rows = [head, ...keys.flatMap((key) => rowsOf(key, now))];
  return keys.some(({ limits }) => limits !== null) ? rows : rows.map((row) => row.toSpliced(head.indexOf('LIMITS'), 1));
}

/** A row for each of its secrets and of its limits. */
function rowsOf(key: Listed, now: number): string[][] {
  const [first, ...older] = key.secrets;
  const limits = limitTexts(key.limits, key.budget_spent_usd === null ? undefined : (sumUnits(key.budget_spent_usd) ?? undefined));
  const ends =
    key.state === 'revoked'
      ? `revoked ${dayOf(key.revoked)}`
      : key.state === 'expired'
        ? `expired ${dayOf(key.expires)}`
        : dayOf(key.expires);
  const unknown = key.unpriced_month ? ` + ${key.unpriced_month} unknown` : '';
  const cost = key.cost_month_usd === null ? '-' : `$${key.cost_month_usd}${unknown}`;
  const rows = [[key.name, prefixOf(first), scopeOf(key), limits[0] ?? '-', dayOf(key.created), ends, agoOf(first, now), cost]];
  for (let i = 0; i < Math.max(older.length, limits.length - 1); i += 1) {
    const secret = older[i];
    const limit = limits[i + 1] ?? '';
    if (secret === undefined) rows.push(['', '', '', limit]);
    else rows.push(['  older secret', prefixOf(secret), '', limit, '', minuteOf(secret.until), agoOf(secret, now)]);
  }
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
