import { Statement } from '../../../query/sql/statement.ts';
import type { SqlSource } from '../log-store.ts';
import { maxTagNames } from '../schema.ts';

const minutesOfDay = 24 * 60;

/**
 * True if the buckets count every metadata key and label of a range. A day counts only the first of them, so it may lack
 * some if it has that many.
 *
 * @param range Unix minutes
 */
export async function hasAllTags(
  source: SqlSource,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<boolean> {
  const statement = new Statement(source.dialect);
  // Whole days, because records may be stored in another order than that of their times.
  const [first, end] = [Math.floor(since / minutesOfDay), Math.ceil(until / minutesOfDay)].map((day) =>
    statement.number(day * minutesOfDay),
  );
  const inRange = `b.minute >= ${first} AND b.minute < ${end}`;
  // Finds each next dimension through the key.
  const next = (kind: string, after: string): string => `(SELECT min(b.dim) FROM buckets b WHERE b.dim < '${kind}/' AND b.dim > ${after})`;
  const names = (kind: string): string => `${kind}(dim) AS (
    SELECT ${next(kind, `'${kind}.'`)} UNION ALL SELECT ${next(kind, `${kind}.dim`)} FROM ${kind} WHERE ${kind}.dim IS NOT NULL)`;
  const all = 'SELECT dim FROM meta UNION ALL SELECT dim FROM label';
  const sql = `WITH RECURSIVE ${names('meta')}, ${names('label')} SELECT CAST(count(*) AS BIGINT) AS count FROM (${all}) AS tags
    WHERE dim IS NOT NULL AND EXISTS (SELECT 1 FROM buckets b WHERE b.dim = tags.dim AND ${inRange})`;
  const [found] = await source.all(sql, statement.parameters);
  return Number(found?.count) < maxTagNames;
}
