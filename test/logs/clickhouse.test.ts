import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toRow } from '../../src/core/logs/row.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { pythonWith } from '../support/python.ts';
import { lacking } from '../support/skipping.ts';

const page = readFileSync(new URL('../../docs/clickhouse.md', import.meta.url), 'utf8');
const statements = [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => sql);
const python = pythonWith('clickhouse', new URL('clickhouse.txt', import.meta.url).pathname);

const at = Date.parse('2026-11-20T10:00:00Z');
const records: LogRecord[] = Array.from({ length: 100 }, (_, i) =>
  sampleRecord({
    id: `req_${String(i).padStart(4, '0')}`,
    at: at + i * 90_000,
    status: i % 10 === 0 ? 429 : 200,
    error: i % 10 === 0 ? { code: 'rate_limited', source: 'provider', message: 'it\'s "full" \\ \n😀' } : null,
    model: { asked: 'asked', sent: i % 3 === 0 ? null : `model-${i % 3}`, answered: null },
    cost: { usd: i % 4 === 0 ? null : '0.000000000123', source: null, prices: {} },
    trace: { ...sampleRecord().trace, span_name: i % 2 === 0 ? `Step ${i % 4}` : null },
    metadata: i % 2 === 0 ? { user: `u'${i % 6}` } : {},
  }),
);

/** Results of an embedded ClickHouse for the queries of the page. */
function run(): Record<string, unknown>[][] {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clickhouse-'));
  try {
    const lines = join(folder, 'requests.jsonl');
    writeFileSync(lines, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const [schema, ...queries] = statements;
    // Loaded twice, like a repeated export. The retention of the table is not tested.
    const work = { schema: schema?.replace(/TTL .*/, ''), lines: [lines, lines], queries };
    writeFileSync(join(folder, 'work.json'), JSON.stringify(work));
    const binary = 'python' in python ? python.python : '';
    const args = [new URL('clickhouse.py', import.meta.url).pathname, join(folder, 'work.json'), join(folder, 'data')];
    const { status, stdout, stderr } = spawnSync(binary, args, { encoding: 'utf8', timeout: 120_000, cwd: folder });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>[][];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it.skipIf(lacking(python))(
  'returns the documented results in ClickHouse',
  () => {
    const [failed, byModel, volume, byUser, trace, bySpan] = run();
    const rows = records.map(toRow);
    expect(failed?.map(({ id }) => id)).toEqual(
      rows
        .filter(({ status }) => status >= 400)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(byModel?.map(({ model, requests }) => [model, Number(requests)])).toEqual([
      ['asked', 34],
      ['model-1', 33],
      ['model-2', 33],
    ]);
    expect(byModel?.reduce((sum, { errors }) => sum + Number(errors), 0)).toBe(10);
    expect(byModel?.reduce((sum, { unpriced }) => sum + Number(unpriced), 0)).toBe(25);
    expect(byModel?.reduce((sum, row) => sum + Number(row.input), 0)).toBe(100 * 312);
    const cost = records.filter(({ model, cost: { usd } }) => model.sent === null && usd !== null).length * 123;
    expect(String(byModel?.[0]?.cost_usd)).toMatch(new RegExp(`^(0\\.0*${cost}|${(cost / 1000).toString().replace('.', '\\.')}e-9)$`));
    expect(volume?.map(({ class: name, requests }) => [name, Number(requests)])).toEqual([
      ['2xx', 36],
      ['4xx', 4],
      ['2xx', 36],
      ['4xx', 4],
      ['2xx', 18],
      ['4xx', 2],
    ]);
    expect(byUser?.map(({ user, requests }) => [user, Number(requests)])).toEqual([
      ["u'0", 17],
      ["u'2", 17],
      ["u'4", 16],
    ]);
    expect(trace).toHaveLength(100);
    expect(trace?.[2]).toMatchObject({ span: '00f067aa0ba902b7', parent: '', span_name: 'Step 2' });
    expect(bySpan?.map(({ span_name: name, requests }) => [name, Number(requests)])).toEqual([
      ['Step 0', 25],
      ['Step 2', 25],
    ]);
  },
  400_000,
);
