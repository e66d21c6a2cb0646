import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { recordLimit } from '../../src/store/encode.ts';
import { readSpool } from '../../src/store/fixtures/read-spool.ts';
import { startProcess, type Running } from '../cli/process.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { until } from '../support/gateway.ts';
import { type RequestSpec, sendRequest } from './sinks.ts';

/** Maximum number of bytes that one request can write to the disk and to the log, with any content. */

const key = 'gw_test_0123456789abcdefghijkl';
const mega = 1024 * 1024;
/** A record of a rejected request, and its line in the log. */
const strangerLimit = 1024;

let upstream: ScriptedUpstream;
let dir: string;
let running: Running;
let url: string;
/** The headers of the next response. */
let responseHeaders: Record<string, string> = {};
let body: object = completion('x');

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 200, body, responseHeaders));
  dir = mkdtempSync(join(tmpdir(), 'gateway-bounds-'));
  const config = {
    version: 1,
    logging: { format: 'json', requests: { bodies: 'none' } },
    providers: { p: { type: 'openai', api_key: 'sk-0123456789abcdef', custom_host: `${upstream.url}/v1` } },
    api_keys: { caller: { hash: `sha256:${createHash('sha256').update(key).digest('hex')}` } },
  };
  writeFileSync(join(dir, 'gateway.yaml'), JSON.stringify(config));
  running = startProcess(['start', '--listen', '127.0.0.1:0'], dir);
  const [line = ''] = await running.waitForOutput(/.*"gateway started".*\n/);
  url = (JSON.parse(line) as { url: string }).url.replace(/\/v1$/, '');
});

afterAll(async () => {
  running.child.kill('SIGTERM');
  await running.ended;
  await upstream.close();
  rmSync(dir, { recursive: true, force: true });
});

const spool = (): string => join(dir, '.gateway/spool');
const onDisk = (): number => readdirSync(spool()).reduce((sum, name) => sum + statSync(join(spool(), name)).size, 0);

/** Sends a request and returns how much it added to the spool and to the log, and its record. */
async function cost(request: RequestSpec): Promise<{ spool: number; log: number; status: number; record: LogRecord }> {
  const before = { disk: onDisk(), log: running.out().length };
  const { status, id } = await sendRequest(url, request);
  await until(() => running.out().slice(before.log).endsWith('\n'), 'the line of the request');
  const cost = { spool: onDisk() - before.disk, log: Buffer.byteLength(running.out().slice(before.log)) };
  const entries = readSpool(spool());
  const last = entries.findLast((entry) => entry.kind === 'record');
  if (last?.kind !== 'record' || (id !== undefined && last.record.id !== id)) throw new Error('no record');
  return { ...cost, status, record: last.record };
}

const chat = (more: object): RequestSpec => ({
  path: '/v1/chat/completions',
  body: { model: '@p/m', messages: [{ role: 'user', content: 'hi' }], ...more },
});
const withKey = (request: RequestSpec, headers: Record<string, string> = {}): RequestSpec => ({
  ...request,
  headers: { ...request.headers, ...headers, 'x-gateway-api-key': key },
});
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const many = (count: number, size: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v'.repeat(size)]));
/** As many header bytes as the server accepts. */
const longHeaders = {
  'user-agent': 'u'.repeat(12_000),
  'x-gateway-trace-id': 't'.repeat(8000),
  'x-gateway-span-name': 'n'.repeat(8000),
  'x-note': '\u0001'.repeat(0) + 'h'.repeat(12_000),
  'x-gateway-metadata': JSON.stringify(many(120, 100)),
};

const hostile: readonly (readonly [name: string, request: RequestSpec])[] = [
  ['a model of 3 MB', chat({ model: `@p/${'m'.repeat(3 * mega)}` })],
  ['labels of 3 MB', chat({ labels: many(3000, 1000) })],
  ['one label of 3 MB', chat({ labels: { a: 'x'.repeat(3 * mega) } })],
  ['a label whose name has 3 MB', chat({ labels: { ['x'.repeat(3 * mega)]: 'a' } })],
  ['labels nested 5,000 deep', { path: '/v1/chat/completions', body: `{"model":"@p/m","messages":[],"labels":${deep(5000)}}` }],
  [
    'labels in 100 levels of lists',
    { path: '/v1/chat/completions', body: `{"model":"@p/m","messages":[],"labels":{"a":${'['.repeat(100)}${']'.repeat(100)}}}` },
  ],
  ['long headers', { ...chat({}), headers: longHeaders }],
  ['a long path', { path: `/v1/${'a'.repeat(40_000)}` }],
  ['a long query', { path: `/v1/things?${'a=1&'.repeat(10_000)}`, headers: { 'x-gateway-provider': '@p' } }],
  ['names that are dropped', chat(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${'d'.repeat(200)}${i}`, 1])))],
  ['text that JSON escapes', chat({ model: `@p/${'\u0001'.repeat(100_000)}`, labels: { a: '\u0001'.repeat(100_000) } })],
  [
    'text of two bytes a character',
    { path: `/v1/${'"'.repeat(4000)}`, headers: { 'user-agent': '"\u00ff'.repeat(2000), 'x-gateway-trace-id': '"'.repeat(2000) } },
  ],
  [
    'a config of 30 KB',
    { ...chat({}), headers: { 'x-gateway-config': JSON.stringify({ provider: '@p', override_params: { user: 'c'.repeat(30_000) } }) } },
  ],
];

describe.each(hostile)('a request with %s', (_, request) => {
  it('writes a few hundred bytes if it is not authenticated', async () => {
    const { status, spool: written, log, record } = await cost(request);
    expect([status === 401 || status === 404 || status === 400, record.admitted]).toEqual([true, false]);
    expect(written).toBeLessThanOrEqual(strangerLimit);
    expect(log).toBeLessThanOrEqual(strangerLimit);
  });

  it('writes a record of limited size if it is authenticated', async () => {
    const { spool: written, log, record } = await cost(withKey(request));
    expect(record.admitted).toBe(true);
    expect(written).toBeLessThanOrEqual(recordLimit + 1024);
    expect(log).toBeLessThanOrEqual(recordLimit);
  });
});

it('a response of the provider cannot write more either', async () => {
  responseHeaders = { 'x-request-id': 'i'.repeat(6000), 'x-note': 'n'.repeat(6000) };
  body = {
    ...completion('x', 'a'.repeat(2 * mega)),
    choices: Array.from({ length: 5000 }, (_, index) => ({
      index,
      finish_reason: 'f'.repeat(100),
      message: { role: 'assistant', content: 'x' },
    })),
  };
  try {
    const { spool: written, log } = await cost(withKey(chat({})));
    expect(written).toBeLessThanOrEqual(recordLimit + 1024);
    expect(log).toBeLessThanOrEqual(recordLimit);
  } finally {
    responseHeaders = {};
    body = completion('x');
  }
});

it('the record of an unauthenticated request can be read like every record', async () => {
  const { record } = await cost(chat({ model: 'x' }));
  const { record: fullRecord } = await cost(withKey(chat({})));
  expect(Object.keys(record).toSorted()).toEqual(Object.keys(fullRecord).toSorted());
  expect(record).toMatchObject({
    admitted: false,
    status: 401,
    error: { code: 'missing_api_key' },
    attempts: [],
    labels: {},
    request: { headers: {}, body: null },
  });
});

it('an ordinary request writes a few kilobytes', async () => {
  const { spool: written, log } = await cost(withKey(chat({})));
  expect([written < 4096, log < 2048]).toEqual([true, true]);
});
