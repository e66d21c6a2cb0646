import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryParseObject } from '../../src/core/json/scan.ts';
import { SpoolEviction } from '../../src/store/log/drain/eviction.ts';
import { adminUrl, call } from '../admin/client.ts';
import { runHere } from '../cli/in-process.ts';
import { postgresKind } from '../logs/stores.ts';
import { startCollector } from '../observe/collector.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { confidentialYaml, confidentialIn, confidentialText, sendAll, startEcho } from './confidential.ts';
import { dumpPostgres, dumpSqlite } from './database-dumps.ts';
import { sendRequest, filesBelow } from './sinks.ts';

/** The same traffic, searched in everything that leaves the gateway: collectors, databases, exports, live rows, damaged files. */

let upstream: ScriptedUpstream;
let dir: string;
let leaks: string[];
const ends: (() => Promise<void> | void)[] = [];

beforeEach(async () => {
  upstream = await startEcho();
  dir = mkdtempSync(join(tmpdir(), 'leaks-'));
  leaks = [];
  ends.push(
    () => upstream.close(),
    () => rmSync(dir, { recursive: true, force: true }),
  );
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const checkSink = (sink: string, text: string): void => void leaks.push(...confidentialIn(text).map((part) => `${sink}: ${part}`));
const state = (): string => join(dir, 'state');

async function start(more = '', options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(confidentialYaml(upstream.url, more), { admin: true, stateDir: state(), ...options });
  ends.push(() => gateway.close());
  return gateway;
}

const stop = async (): Promise<void> => {
  await ends.pop()?.();
};
const tokenOf = (): string => readFileSync(join(state(), 'admin-token'), 'utf8').trim();

async function admin(gateway: TestGateway, path: string, body?: object): Promise<string> {
  for (;;) {
    const more = body === undefined ? {} : { method: 'POST', body };
    const { status, text } = await call(adminUrl(gateway), path, { token: tokenOf(), ...more });
    if (status !== 429) return text;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const command = (gateway: TestGateway, ...args: string[]): ReturnType<typeof runHere> =>
  runHere(args, dir, { env: { GATEWAY_ADMIN: adminUrl(gateway), GATEWAY_ADMIN_TOKEN: tokenOf() } });

it('collectors receive no confidential value, even with messages', async () => {
  const collector = await startCollector();
  ends.push(() => collector.close());
  const to = `{otlp: "${collector.url}", content: true, headers: {x-api-key: canary-of-the-collector}}`;
  const gateway = await start(`\nobservability: {tracing: ${to}, logs: ${to}}`);
  const ids = await sendAll(gateway.url);
  await expect.poll(() => collector.logs().length).toBe(ids.length);
  await stop();
  for (const { path, text } of collector.exports) checkSink(path, text);
  for (const line of gateway.lines) checkSink('log', line);
  for (const [path, text] of filesBelow(state())) if (!path.includes('last-good')) checkSink(path, text);
  expect([...new Set(leaks)]).toEqual([]);
  const [traces, logs] = ['/v1/traces', '/v1/logs'].map((path) => collector.exports.filter((one) => one.path === path));
  for (const exports of [traces, logs]) expect(exports?.some(({ text }) => text.includes('[email] , [phone]'))).toBe(true);
  const stored = [
    ...[...filesBelow(state())].flatMap(([path, text]) => (path.includes('last-good') ? [] : text)),
    ...collector.exports.map(({ text }) => text),
  ];
  expect(stored.filter((text) => text.includes('canary-of-the-collector'))).toEqual([]);
}, 400_000);

it('explain, replay, tail, export and feedback show no confidential value of a request', async () => {
  const gateway = await start();
  const tails = [['--body'], ['--json']].map((flags) => command(gateway, 'logs', 'tail', '--limit', '20', ...flags));
  let isOver = false;
  const tailed = Promise.all(tails).finally(() => (isOver = true));
  const ids = await sendAll(gateway.url);
  // They end after 20 requests, even if they begin late.
  while (!isOver) await sendAll(gateway.url);
  for (const { out, err } of await tailed) checkSink('logs tail', out + err);

  const body = { model: '@up/mirror', messages: [{ role: 'user', content: confidentialText }] };
  const mirrored = await sendRequest(gateway.url, { path: '/v1/chat/completions', body });
  const id = mirrored.id ?? '';
  const trace = /x-gateway-trace-id\n(\S+)/i.exec(mirrored.text)?.[1] ?? '';
  const metadata = Object.fromEntries(confidentialText.split(' , ').map((text, i) => [`m${i}`, text]));
  const judged = await sendRequest(gateway.url, { path: '/v1/feedback', body: { trace_id: trace, value: 1, metadata } });
  expect(judged.status).toBe(200);
  await expect.poll(() => admin(gateway, `/api/requests/${id}`)).toContain('"m0"');
  checkSink('feedback', await admin(gateway, `/api/requests/${id}`));
  checkSink('trace', await admin(gateway, `/api/traces/${trace}`));

  for (const one of ids.slice(0, 40)) checkSink(`explain ${one}`, await admin(gateway, '/api/explain', { from_log: one }));
  expect(await admin(gateway, '/api/explain', { from_log: id })).toContain('[email] , [phone]');
  checkSink(
    'explain',
    await admin(gateway, '/api/explain', { path: '/v1/chat/completions', body: { ...body, messages: [] }, headers: {} }),
  );
  const replayed = tryParseObject(await admin(gateway, '/api/replay', { id, force: true }));
  expect(replayed).toMatchObject({ status: 200 });
  checkSink('replay', JSON.stringify(replayed));
  expect(JSON.stringify(replayed)).toContain('[email] , [phone]');
  expect(await admin(gateway, '/api/replay', { id })).toContain('was masked in');
  for (const args of [
    ['replay', id, '--force'],
    ['replay', id, '--force', '--diff'],
    ['replay', id, '--dry-run'],
    ['explain', '--running', '--from-log', id],
    ['explain', '--running', '--from-log', id, '--json'],
    ['explain', '--running', '--from-log', id, '--as-curl'],
    ['logs', 'search', '--json'],
    ['logs', 'search', '--csv'],
    ['logs', 'export', '--full', '--limit', '500'],
    ['logs', 'export', '--csv'],
    ['logs', 'show', id, '--json'],
    ['logs', 'show', id, '--curl'],
    ['logs', 'stats', '--by', 'meta.note', '--json'],
  ]) {
    const { out, err, code } = await command(gateway, ...args);
    expect([args, code, out === '' ? err : '']).toEqual([args, 0, '']);
    checkSink(args.join(' '), out + err);
  }
  expect([...new Set(leaks)]).toEqual([]);
}, 400_000);

describe('unused files', () => {
  it('a spool that was never stored, and the rest of its cleanup, contain no confidential value', async () => {
    // A folder instead of the file: nothing can be stored.
    mkdirSync(join(state(), 'log.sqlite'), { recursive: true });
    await sendAll((await start()).url);
    await stop();
    const spool = join(state(), 'spool');
    const segments = [...filesBelow(spool)];
    expect(segments.map(([, text]) => text).join('')).toContain('[email] , [phone]');
    // A folder with the same name prevents the rename, so the shorter segment keeps its temporary name.
    const first = readdirSync(spool).toSorted()[0] ?? '';
    writeFileSync(join(spool, `9999999999999-${process.pid}-000001.log`), '');
    mkdirSync(join(spool, first.replace('.log', '.bare.log'), 'in-the-way'), { recursive: true });
    expect(() => new SpoolEviction(spool, 1000).evict(() => 0)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(spool).filter((name) => name.endsWith('.half'))).toHaveLength(1);
    for (const [path, text] of filesBelow(state())) if (!path.includes('last-good')) checkSink(path, text);
    expect([...new Set(leaks)]).toEqual([]);
  }, 400_000);

  it('a damaged store that was renamed, and the new one, contain no confidential value', async () => {
    const path = join(state(), 'log.sqlite');
    await sendAll((await start()).url);
    await stop();
    const before = dumpSqlite(path);
    expect([...before.values()].join('')).toContain('[email] , [phone]');
    for (const [table, text] of before) checkSink(table, text);
    // Only its first page: everything else in it could still be recovered.
    writeFileSync(path, readFileSync(path).fill(0xff, 0, 4096));
    await sendAll((await start()).url);
    await expect.poll(() => readdirSync(state()).filter((name) => name.includes('.corrupt-')).length).toBeGreaterThan(0);
    await stop();
    for (const [table, text] of dumpSqlite(path)) checkSink(`${table} after it`, text);
    for (const [file, text] of filesBelow(state())) if (!file.includes('last-good')) checkSink(file, text);
    expect([...new Set(leaks)]).toEqual([]);
  }, 400_000);
});

const kind = postgresKind();

describe.skipIf(skipping(kind.missing))('a Postgres database', () => {
  it('contains no confidential value in any table', async () => {
    await kind.start();
    ends.push(() => kind.end());
    const url = await kind.server().database();
    const gateway = await start(`store: "${url}"`);
    const ids = await sendAll(gateway.url);
    await sendRequest(gateway.url, { path: '/v1/feedback', body: { trace_id: 't', value: 1, metadata: { comment: confidentialText } } });
    await expect
      .poll(async () => (await gateway.gateway.logs?.stats({ query: '' }).catch(() => undefined))?.total.requests)
      .toBeGreaterThanOrEqual(ids.length);
    await expect.poll(async () => (await dumpPostgres(url)).get('feedback')).toContain('[email]');
    const dump = await dumpPostgres(url);
    for (const [table, text] of dump) checkSink(table, text);
    for (const part of ['requests', 'records', 'bodies', 'tags', 'feedback', 'buckets'])
      expect([part, [...dump].some(([table, text]) => table.startsWith(part) && text !== '')]).toEqual([part, true]);
    expect([...dump.values()].join('')).toContain('[email] , [phone]');
    expect([...dump.values()].join('')).not.toContain(kind.server().password);
    expect([...new Set(leaks)]).toEqual([]);
  }, 400_000);
});
