import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { periodStart } from '../../src/core/limits/budget-period.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { openSqliteStore } from '../../src/store/log/sqlite/store.ts';
import { runHere } from '../cli/in-process.ts';
import { entryOf, write } from '../logs/stores.ts';

const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const yaml = `version: 1
server: {state_dir: state}
providers: {mock: {type: mock}}
api_keys:
  app-web:
    hash: "${hashOf('app-web')}"
    prefix: gw_live_9f2c
    created: 2026-01-02
    allow: {models: [gpt-4o, gpt-4o-mini]}
    limits: {rate: 60/min, tokens: 200k/min, budget: 50USD/month, concurrency: 20}
    previous: [{hash: "${hashOf('before')}", prefix: gw_live_41ab, until: 2099-01-02T03:04:05Z}]
  batch: {hash: "${hashOf('batch')}", limits: {budget: 0.5 USD/day}}
  saver: {hash: "${hashOf('saver')}", limits: {budget: 0USD/week}}
  job: {hash: "${hashOf('job')}", limits: {rate: 5/s}, revoked: 2026-03-04T05:06:07Z}
  free: {hash: "${hashOf('free')}"}
`;

/** In the order of the rows. */
const texts = [
  '60 requests/min',
  '200k tokens/min',
  '6% of 50USD/month',
  '20 in flight',
  '120% of 0.5 USD/day',
  '100% of 0USD/week',
  '5 requests/s',
  '-',
];

describe('keys list with limits', () => {
  let dir = '';
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
    writeFileSync(join(dir, 'gateway.yaml'), yaml);
    mkdirSync(join(dir, 'state'));
    const store = openSqliteStore(join(dir, 'state/log.sqlite'));
    const now = Date.now();
    const costing = (id: string, at: number, key: string, usd: string) =>
      entryOf(sampleRecord({ id, at, key, cost: { usd, source: null, prices: {} } }));
    const today = periodStart('day', now) * 86_400_000;
    const month = periodStart('month', now) * 86_400_000;
    await write(store, [
      costing('req_1', month - 1, 'app-web', '40'),
      costing('req_2', month, 'app-web', '3.102944'),
      costing('req_3', today - 1, 'batch', '7'),
      costing('req_4', today, 'batch', '0.6'),
    ]);
    await store.close();
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it('prints them as written, and what is used of each budget, as JSON', async () => {
    const { out, err } = await runHere(['keys', 'list', '--json'], dir);
    const keys = JSON.parse(out) as { name: string; limits: unknown; budget_spent_usd: unknown }[];
    expect(err).toBe('');
    expect(keys.map(({ name, limits, budget_spent_usd: spent }) => [name, limits, spent])).toEqual([
      ['app-web', { rate: '60/min', tokens: '200k/min', budget: '50USD/month', concurrency: 20 }, '3.102944'],
      ['batch', { budget: '0.5 USD/day' }, '0.6'],
      ['saver', { budget: '0USD/week' }, '0'],
      ['job', { rate: '5/s' }, null],
      ['free', null, null],
    ]);
  });

  it.each([120, 100, 80, 60])('shows them in a terminal of %i columns', async (columns) => {
    const { out } = await runHere(['keys', 'list'], dir, { isTty: true, columns });
    const rows = out.trimEnd().split('\n');
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns);
    const start = rows[0]?.indexOf('LIMITS') ?? -1;
    const [, ...cells] = rows.map((row) => row.slice(start).split(/ {2,}/)[0] ?? '');
    const shown = cells.map((cell) => cell.replace('…', '').length);
    // Beside an older secret and a revoked key, they are truncated at 60 columns.
    expect(shown.every((length, i) => length === texts[i]?.length || (columns === 60 && length > 10))).toBe(true);
    expect(cells.map((cell) => cell.replace('…', ''))).toEqual(texts.map((text, i) => text.slice(0, shown[i])));
    expect(rows[2]).toMatch(/^ {2}older secret .*2099-01-02 03:04/);
  });

  it.each([
    [60, true],
    [44, true],
    [40, false],
  ])('fit a terminal of %i columns', async (columns, isShown) => {
    const cwd = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
    const entry = `{hash: "${hashOf('app')}", prefix: gw_live_9f2c, limits: {tokens: 200k/min, concurrency: 5}}`;
    writeFileSync(join(cwd, 'gateway.yaml'), `version: 1\napi_keys: {app-web: ${entry}}\n`);
    const { out } = await runHere(['keys', 'list'], cwd, { isTty: true, columns });
    rmSync(cwd, { recursive: true });
    expect(Math.max(...out.split('\n').map((row) => row.length))).toBeLessThanOrEqual(columns);
    expect(/^app-web .*200k tokens\/min .*\n +5 in flight$/m.test(out)).toBe(isShown);
  });

  it('are shown without their use if the request log cannot be read', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
    writeFileSync(join(cwd, 'gateway.yaml'), yaml);
    mkdirSync(join(cwd, 'state'));
    writeFileSync(join(cwd, 'state/log.sqlite'), 'no database');
    const [text, json] = [await runHere(['keys', 'list'], cwd), await runHere(['keys', 'list', '--json'], cwd)];
    rmSync(cwd, { recursive: true });
    expect(text.out).toMatch(/ 50USD\/month\n/);
    expect(json.out).not.toMatch(/"budget_spent_usd": "/);
  });

  it.each(['60', '[a]', '{rate: {a: 1}, budget: 5, concurrency: [1]}', '{budget: "5 gold"}'])(
    'do not prevent the list if they are invalid: %s',
    async (limits) => {
      const cwd = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
      writeFileSync(join(cwd, 'gateway.yaml'), `version: 1\napi_keys: {app: {hash: "${hashOf('app')}", limits: ${limits}}}\n`);
      const listed = await runHere(['keys', 'list'], cwd);
      rmSync(cwd, { recursive: true });
      expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('\napp ') });
    },
  );
});
