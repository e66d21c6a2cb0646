import type { LogRow } from '../../../core/logs/row.ts';
import { searchTextOf } from '../../../query/match.ts';
import { moneyUnits } from '../../../query/money.ts';
import { toStorable } from '../../../query/text.ts';
import { boundedCount } from '../../../query/bounded-count.ts';
import { type Column, requestColumns } from '../schema.ts';

/** A row of `requests` without its `seq`, as JSON that Postgres converts to a row of its table. */
export type Columns = Record<string, string | number | boolean | null>;

export function columnsOf(row: LogRow, cost: bigint | null): Columns {
  const columns: Columns = { words: searchTextOf(row) };
  for (const column of requestColumns) {
    columns[column.name] = column.type === 'money' ? moneyOf(cost) : valueOf(row[column.name as keyof LogRow], column);
  }
  return columns;
}

function valueOf(value: LogRow[keyof LogRow], { type, isNullable }: Column): string | number | boolean | null {
  if (typeof value === 'string') return toStorable(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return type === 'integer' ? boundedCount(value) : realNumber(value);
  if (isNullable) return null;
  return type === 'text' ? '' : type === 'boolean' ? false : 0;
}

const realNumber = (value: number): number => (Number.isFinite(value) ? value : 0);

/** As text, because not every JSON reader supports integers of this size. */
const moneyOf = (cost: bigint | null): string | null => (cost === null ? null : cost.toString());

export const costOf = ({ cost }: LogRow): bigint | null => (cost === null ? null : moneyUnits(cost));

/** Rows of `tags`, without their `seq`. */
export function tagsOf({ meta, label }: LogRow): { readonly kind: 'meta' | 'label'; readonly name: string; readonly value: string }[] {
  return [
    ...Object.entries(meta).map(([name, value]) => ({ kind: 'meta', name: toStorable(name), value: toStorable(value) }) as const),
    ...Object.entries(label).map(([name, value]) => ({ kind: 'label', name: toStorable(name), value: toStorable(value) }) as const),
  ];
}
