import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredRow } from '../stored-row.ts';
import { commonColumns, commonValuesOf, haveSameCommonValues, rowColumns, rowValuesOf } from './columns.ts';
import { prepareChange } from './open.ts';

/** Number of similar rows after which they get a statement of their own, and maximum kinds that are tracked. */
const minRowsForStatement = 64;
const maxKinds = 16;

/** Rows with the same common values. */
interface RowKind {
  readonly row: StoredRow;
  rows: number;
  /** Undefined if there are too few rows, or if the common values cannot be written as SQL. */
  statement: StatementSync | undefined;
}

/**
 * Inserts rows. Most rows share the values of many columns, and binding all values takes as long as storing them, so the
 * shared values of a kind of rows are written into a statement of its own.
 */
export class RowInserter {
  readonly #db: DatabaseSync;
  readonly #generalInsert: StatementSync;
  #kinds: RowKind[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#generalInsert = prepareChange(db, insertOf('?, '.repeat(commonColumns.split(',').length - 1).concat('?')));
  }

  /** @param start offset of the record in its block @returns whether the row was new. @throws SQLite errors */
  insert(seq: number, block: number, start: number, row: StoredRow, cost: bigint | null): boolean {
    const own = rowValuesOf(row, cost);
    const statement = this.#statementFor(row);
    const { changes } =
      statement === undefined
        ? this.#generalInsert.run(seq, block, start, ...own, ...commonValuesOf(row))
        : statement.run(seq, block, start, ...own);
    return Number(changes) !== 0;
  }

  #statementFor(row: StoredRow): StatementSync | undefined {
    for (const kind of this.#kinds) {
      if (!haveSameCommonValues(kind.row, row)) continue;
      kind.rows += 1;
      if (kind.rows === minRowsForStatement) kind.statement = this.#statementOf(row);
      return kind.statement;
    }
    if (this.#kinds.length >= maxKinds) this.#kinds = [];
    this.#kinds.push({ row, rows: 1, statement: undefined });
    return undefined;
  }

  #statementOf(row: StoredRow): StatementSync | undefined {
    const texts = commonValuesOf(row).map(literal);
    return texts.includes(undefined) ? undefined : prepareChange(this.#db, insertOf(texts.join(', ')));
  }
}

const insertOf = (common: string): string =>
  `INSERT INTO requests (seq, block, start, ${rowColumns}, ${commonColumns})
   VALUES (?, ?, ?, ${rowColumns.replaceAll(/\w+/g, '?')}, ${common}) ON CONFLICT (id) DO NOTHING`;

/** A value as SQL; undefined if it is not plain. */
function literal(value: string | number | null): string | undefined {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return /^[ -~]{0,200}$/.test(value) ? `'${value.replaceAll("'", "''")}'` : undefined;
}
