import { type LogRow, toRow } from '../../core/logs/row.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import type { LogRecord, MessageRecord } from '../../core/records/record.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { moneyText } from '../../query/money.ts';
import { Statement } from '../../query/sql/statement.ts';
import type { SqlSource, SqlValue } from '../log/log-store.ts';
import { requestColumns } from '../log/schema.ts';

/** A record whose JSON is damaged, made from the columns that filters use. */
export interface PartialRecord {
  readonly record: LogRecord;
  readonly row: LogRow;
}

const notice = 'The stored record is damaged: only the values that filters use could be read, and no attempts, headers and bodies.';
const damagedMessage: MessageRecord = { headers: {}, body: null, why_absent: 'the stored record is damaged' };

/** SQLSTATE class of damaged data and other internal errors: a value cannot be read, but other rows can. */
export const isDamageError = (error: unknown): boolean => errorCode(error).startsWith('XX');

/** The records of these rows by their numbers. A row that was deleted in the meantime is left out. */
export async function recordsFromColumns(source: SqlSource, seqs: readonly number[]): Promise<ReadonlyMap<number, PartialRecord>> {
  const statement = new Statement(source.dialect);
  const list = seqs.map((seq) => statement.number(seq)).join(', ');
  const columns = requestColumns.map(({ name }) => (name === 'cost' ? 'CAST(r.cost AS TEXT) AS cost' : `r."${name}"`)).join(', ');
  const found = await source.all(`SELECT r.seq, ${columns} FROM requests r WHERE r.seq IN (${list})`, statement.parameters);
  if (found.length > 0) source.reportDamage?.();
  const tags = await source.all(`SELECT t.seq, t.kind, t.name, t.value FROM tags t WHERE t.seq IN (${list})`, statement.parameters);
  return new Map(
    found.map((row) => {
      const own = tags.filter(({ seq }) => seq === row.seq);
      return [Number(row.seq), partialRecord(row, tagsOf(own, 'meta'), tagsOf(own, 'label'))];
    }),
  );
}

type Row = Readonly<Record<string, SqlValue>>;
type Texts = Readonly<Record<string, string>>;

const tagsOf = (tags: readonly Row[], kind: 'meta' | 'label'): Texts =>
  Object.fromEntries(tags.filter((tag) => tag.kind === kind).map(({ name, value }) => [String(name), String(value)]));

function partialRecord(row: Row, metadata: Texts, labels: Texts): PartialRecord {
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const some = (name: string): string => String(row[name]);
  const number = (name: string): number => Number(row[name]);
  const [error, finish, cost] = [text('error'), text('finish'), text('cost')];
  const record: LogRecord = {
    ...emptyRecord,
    id: some('id'),
    trace: { ...emptyRecord.trace, trace_id: some('trace'), span_id: text('span'), span_name: text('span_name') },
    at: Math.floor(number('seq') / 1000),
    endpoint: some('endpoint'),
    stream: number('stream') === 1,
    status: number('status'),
    error: error === null ? null : { code: error, source: 'gateway', message: 'The message of this error is damaged.' },
    admitted: true,
    key: text('key'),
    virtual_key: text('virtual_key'),
    config: text('config'),
    revision: some('revision'),
    provider: text('provider'),
    model: { asked: null, sent: text('model'), answered: null },
    ms: { total: number('latency'), first_event: row.ttft === null ? null : number('ttft'), overhead: number('overhead') },
    usage: { ...emptyRecord.usage, prompt: number('tokens_in'), completion: number('tokens_out'), cached: number('tokens_cached') },
    cost: { ...emptyRecord.cost, usd: cost === null ? null : moneyText(BigInt(cost)) },
    finish: finish === null ? [] : [finish],
    warnings: [notice],
    cache: some('cache') as LogRecord['cache'],
    metadata,
    labels,
    client: { ip: null, agent: text('agent') },
    end: some('end') as LogRecord['end'],
    request: damagedMessage,
    upstream: damagedMessage,
    response: damagedMessage,
  };
  const [attempts, retries, fallback] = [number('attempts'), number('retries'), number('fallback') === 1];
  const rest = {
    attempts,
    retries,
    fallback,
    reason: text('reason'),
    guardrail: text('guardrail'),
    prompt: text('prompt'),
    upstream_id: text('upstream_id'),
  };
  return { record, row: { ...toRow(record), ...rest } };
}
