export type SqlDialect = 'sqlite' | 'postgres';
export type SqlParameter = string | number | bigint;

/** Range of `seq` that limits a statement: [from, to). Lists of rows are built from these rows alone. */
export interface SeqWindow {
  readonly from: bigint;
  readonly to: bigint;
}

/** Collects the parameters of one statement, so that user input never becomes part of its text. */
export class Statement {
  readonly dialect: SqlDialect;
  readonly parameters: SqlParameter[] = [];

  constructor(dialect: SqlDialect) {
    this.dialect = dialect;
  }

  text(value: string): string {
    return this.#add(value, 'text');
  }

  /** Postgres uses an index on integers only if the parameter is an integer. */
  number(value: number): string {
    return Number.isSafeInteger(value) ? this.#add(BigInt(value), 'bigint') : this.#add(value, 'double precision');
  }

  integer(value: bigint): string {
    return this.#add(value, 'bigint');
  }

  /** A text that the database converts to another type. */
  cast(value: string, type: string): string {
    return this.#add(value, type);
  }

  #add(value: SqlParameter, type: string): string {
    this.parameters.push(value);
    const n = this.parameters.length;
    return this.dialect === 'sqlite' ? `?${n}` : `$${n}::${type}`;
  }
}
