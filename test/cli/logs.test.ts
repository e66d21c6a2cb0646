import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stats } from '../../src/core/logs/reader.ts';
import type { LogRow } from '../../src/core/logs/row.ts';
import { columnsOf, rowsTable } from '../../src/cli/logs/columns.ts';
import { csvLine } from '../../src/cli/logs/csv.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { makeRows } from '../support/dashboard/rows.ts';
import { adminUrl } from '../admin/client.ts';
import { type RunResult, runHere } from './in-process.ts';

const yaml = `version: 1
providers:
  mock: {type: mock}
  down: {type: openai, custom_host: "http://127.0.0.1:9/v1", api_key: sk-of-the-provider-0123456789}
configs:
  support:
    strategy: {mode: fallback}
    targets: [{provider: down}, {provider: mock, override_params: {temperature: 0.5}}]
  broken: {provider: down}
  raw: {provider: mock, log: {bodies: full}}
`;

let gateway: TestGateway;
let env: Record<string, string>;
const ids: string[] = [];

async function sendChat(config: string, text: string, metadata: object): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': config, 'x-gateway-metadata': JSON.stringify(metadata) },
    body: JSON.stringify({ model: 'mock-model', messages: [{ role: 'user', content: text }] }),
  });
  await response.text();
  ids.push(response.headers.get('x-request-id') ?? '');
}

const logs = (...args: string[]): Promise<RunResult> => runHere(['logs', ...args], gateway.dir, { env });

beforeAll(async () => {
  gateway = await startTestGateway(yaml, { admin: true });
  env = { GATEWAY_ADMIN: adminUrl(gateway), GATEWAY_ADMIN_TOKEN: readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim() };
  await sendChat('support', 'Write to jane.doe@example.com', { user: 'u1' });
  await sendChat('support', '=1+1', { user: '=cmd()' });
  await sendChat('broken', 'hi', { user: 'u2' });
  await until(async () => (await logs('search', '--json')).out.split('\n').length === 4, 'the records in the store');
});
afterAll(() => gateway.close());

describe('gateway logs search', () => {
  it('lists the newest requests first, with complete ids', async () => {
    const { code, out } = await logs('search');
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^TIME(?: [+-]\d\d:\d\d)?\s+STATUS\s+CONFIG\s+ROUTE/);
    expect(lines.slice(1).map((line) => ids.findIndex((id) => line.includes(id)))).toEqual([2, 1, 0]);
    expect(lines[3]).toContain('down unreachable → mock/mock-model');
    expect(lines[3]).toContain('Write to [email]');
  });

  it('says that there are more requests only if there are', async () => {
    const searches = await Promise.all(['2', '3', '4'].map((limit) => logs('search', '--limit', limit)));
    expect(searches.map(({ err }) => err)).toEqual(['The newest 2; --limit shows more.\n', '', '']);
  });

  it.each<[string[], number[]]>([
    [['meta.user:u1'], [0]],
    [['--errors'], [2]],
    [['config:support', '--limit', '1'], [1]],
    [['config:support', 'meta.user:u1', '--since', '1h'], [0]],
  ])('finds the matching requests with %j', async (args, expected) => {
    const { out, code } = await logs('search', ...args, '--json');
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect([code, rows.map(({ id }) => ids.indexOf(id))]).toEqual([0, expected]);
  });

  it.each([
    [120, ['TIME', 'CONFIG', 'LATENCY']],
    [80, ['TIME', 'LATENCY']],
    [72, ['TIME']],
    [56, []],
  ])('fits a terminal of %i columns without truncating ids', async (columns, heads) => {
    const { out } = await runHere(['logs', 'search'], gateway.dir, { env, isTty: true, columns });
    const lines = out.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines[0]?.split(/\s{2,}|\s[+-]/)).toEqual(expect.arrayContaining(['STATUS', 'ROUTE', 'ID', ...heads]));
    expect(ids.every((id) => out.includes(id))).toBe(true);
  });

  it('keeps the columns of --columns on a narrow terminal', async () => {
    const args = ['logs', 'search', '--columns', 'id,trace,key,cost,preview'];
    const { out } = await runHere(args, gateway.dir, { env, isTty: true, columns: 60 });
    expect(out).toMatch(/^ID +TRACE +KEY +COST +PREVIEW\n/);
  });

  it('requests no further page after its output is closed', async () => {
    const closed = new AbortController();
    const questions: string[] = [];
    const paged = createServer((request, response) => {
      questions.push(request.url ?? '');
      response.end(JSON.stringify({ rows: makeRows(2, 0, 1), next: 'more' }));
    });
    await once(paged.listen(0, '127.0.0.1'), 'listening');
    const admin = `127.0.0.1:${(paged.address() as AddressInfo).port}`;
    const args = ['logs', 'search', '--json', '--limit', '1000'];
    const result = await runHere(args, '/', { env: { GATEWAY_ADMIN: admin }, stdoutClosed: closed.signal, onStdout: () => closed.abort() });
    paged.close();
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^.*\n$/) });
    expect(questions).toHaveLength(1);
  });

  it.each(['＝1+1', '＋1', '－1', '＠SUM(1)'])('escapes the full-width formula %s in CSV', (text) => {
    expect(csvLine([text])).toBe(`"'${text}"\r\n`);
  });

  it('prints the selected columns as CSV with escaped formulas', async () => {
    const { out } = await logs('search', 'config:support', '--csv', '--columns', 'status,meta.user,preview');
    expect(out).toBe(`status,meta.user,preview\r\n200,"'=cmd()","'=1+1"\r\n200,u1,Write to [email]\r\n`);
  });

  it.each<[string[], number, RegExp]>([
    [['search', 'meta.user:nobody'], 1, /No request matches/],
    [['search', 'latency:>fast'], 2, /latency/],
    [['search', '--columns', 'statuss'], 2, /Did you mean "status"/],
    [['search', '--limit', 'many'], 2, /--limit/],
    [['search', '--slow', 'very'], 2, /duration/],
    [['search', '--slow', '1000000 h'], 1, /No request matches/],
    [['search', '--slow', '0 ms'], 0, /^$/],
    [['tail', '--sample', '110%'], 2, /percentage/],
    [['show', 'req_00000000000000000000000000'], 1, /no record .*\n.*logging\.requests\.retention/],
    [['show', 'req_nothing'], 1, /no record .*\n.*logging\.requests\.retention/],
    [['replay', 'req_00000000000000000000000000'], 1, /no record .*\n.*logging\.requests\.retention/],
    [['stats', '--by', 'weather'], 2, /group by/],
    [['export', 'meta.user:nobody'], 1, /0 records/],
    [['search', '-status:>=0'], 1, /No request matches/],
    [['search', '-"Write to"', 'meta.user:nobody'], 1, /No request matches/],
    [['export', '--csv', '--full'], 2, /no effect on CSV/],
    [['export', '--csv', 'latency:>fast'], 2, /latency/],
  ])('%j exits with %i', async (args, code, err) => {
    const result = await logs(...args);
    expect(result.code).toBe(code);
    if (code === 2) expect(result.out).toBe('');
    expect(result.err).toMatch(err);
  });

  it('accepts an admin token with a line end, and rejects one with a control character', async () => {
    const token = env['GATEWAY_ADMIN_TOKEN'] ?? '';
    const status = (sent: string): Promise<RunResult> => runHere(['status'], '/', { env: { ...env, GATEWAY_ADMIN_TOKEN: sent } });
    expect(await status(`${token}\r`)).toMatchObject({ code: 0 });
    expect(await status(`${token}\u0007x`)).toMatchObject({
      code: 5,
      err: 'error: the admin token contains a character that no header can have\n',
    });
  });

  it('exits with 4 if no gateway is running, and with 5 without a token', async () => {
    expect((await runHere(['logs', 'search'], '/', { env: { GATEWAY_ADMIN: '127.0.0.1:9' } })).code).toBe(4);
    expect((await runHere(['logs', 'search'], '/', { env: { GATEWAY_ADMIN: env['GATEWAY_ADMIN'] ?? '' } })).code).toBe(5);
  });
});

describe('gateway logs show', () => {
  it('prints the attempts, the changes and the body of a request', async () => {
    const { out, code } = await logs('show', ids[0] ?? '', '--diff', '--body', '--upstream');
    expect(code).toBe(0);
    for (const part of [
      ids[0] ?? '',
      'config support@',
      '1. down/mock-model   unreachable',
      '2. mock/mock-model   200',
      'metadata   user=u1',
      'user       Write to [email]',
      'masked     email ×2',
      'override_params',
      '"messages":[{"role":"user","content":"Write to [email]"}]',
    ])
      expect(out).toContain(part);
    expect(out).not.toMatch(/jane|sk-of-the/);
  });

  it('prints them as JSON', async () => {
    const { out, code } = await logs('show', ids[0] ?? '', '--diff', '--body', '--upstream', '--curl', '--json');
    expect(code).toBe(0);
    const { record, contents, differences, curl } = JSON.parse(out) as Record<string, never>;
    expect(record).toMatchObject({ id: ids[0] });
    expect(contents).toMatchObject({
      request: { text: expect.stringContaining('"content":"Write to [email]"') as string },
      upstream: { text: expect.stringContaining('"model":"mock-model"') as string },
      response: { text: expect.stringContaining('"chat.completion"') as string },
    });
    expect(differences).toMatchObject({
      differences: expect.arrayContaining([expect.objectContaining({ cause: 'override_params' })]) as object[],
    });
    expect(curl).toMatch(/^curl '/);
    expect(Object.keys(JSON.parse((await logs('show', ids[0] ?? '', '--json')).out) as object)).toEqual(['record', 'bodies', 'feedback']);
  });

  it.each([40, 80])('fits a terminal of %i columns', async (columns) => {
    const { out } = await runHere(['logs', 'show', ids[0] ?? ''], gateway.dir, { env, isTty: true, columns });
    expect(out.split('\n').filter((line) => line.length > columns && line.trim().includes(' ') && !/^ {2}trace /.test(line))).toEqual([]);
  });

  it('finds a record by the start or end of its id, or by the URL of its page', async () => {
    const page = adminUrl(gateway);
    const pages = [`${page}/requests/${ids[0]}`, `${page}/requests?q=config%3Asupport&open=${ids[0]}&range=1h`];
    for (const part of [ids[0]?.slice(0, -4), `req_…${ids[0]?.slice(-12)}`, ...pages]) {
      const { out, err } = await logs('show', part ?? '', '--json');
      expect(err).toBe('');
      expect(JSON.parse(out)).toMatchObject({ record: { id: ids[0] } });
    }
  });

  it('prints a curl command that repeats the request with --curl', async () => {
    const { out } = await logs('show', ids[1] ?? '', '--curl');
    expect(out).toContain(`curl '${gateway.url.replace(/\/$/, '')}/v1/chat/completions'`);
    expect(out).toContain(`--data-raw '{"model":"mock-model"`);
  });
});

describe('gateway logs export and stats', () => {
  it('export prints rows, and whole records with --full', async () => {
    const rows = (await logs('export')).out.trim().split('\n');
    const exported = (await logs('export', '--full')).out.trim().split('\n');
    expect([rows.length, exported.length]).toEqual([3, 3]);
    expect(JSON.parse(exported[0] ?? '')).toMatchObject({ id: ids[2], v: 1, attempts: [{ provider: 'down' }] });
    const csv = (await logs('export', '--format', 'csv')).out.split('\r\n');
    expect(csv[0]).toMatch(/^time,id,status/);
    expect(csv).toHaveLength(5);
  });

  it('stats counts by group', async () => {
    const { out, code } = await logs('stats', '--by', 'config');
    expect(code).toBe(0);
    expect(out).toMatch(/^CONFIG\s+REQUESTS\s+ERRORS/);
    expect(out).toMatch(/support\s+2\s+0/);
    expect(out).toMatch(/broken\s+1\s+1 \(100 %\)/);
    expect(out).toMatch(/total\s+3/);
  });

  it('stats counts from the exact start, not from the start of its minute', async () => {
    const newest = JSON.parse((await logs('search', '--json', '--limit', '1')).out) as LogRow;
    const since = new Date(newest.at).toISOString();
    for (const args of [['--since', since], [`since:${since}`]])
      expect(JSON.parse((await logs('stats', '--json', ...args)).out)).toMatchObject({ since: newest.at, total: { requests: 1 } });
  });

  it('stats adds up the groups beyond --top', async () => {
    expect((await logs('stats', '--by', 'config', '--top', '1')).out).toMatch(/support +2 .*\n\(others\) +1 .*\ntotal +3 /s);
    expect((await logs('stats', '--by', 'config', '--top', '1', '--csv')).out).toMatch(/^support,2,.*\r\n\(others\),1,/m);
  });

  it('stats shows from when requests are counted if that takes too long for the whole range', async () => {
    const found = JSON.parse((await logs('stats', '--json')).out) as Stats;
    const partly = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...found, since: Date.UTC(2026, 10, 20), uncounted_since: Date.UTC(2026, 10, 1) }));
    });
    await once(partly.listen(0, '127.0.0.1'), 'listening');
    const { code, err } = await logs('stats', '--admin', `127.0.0.1:${(partly.address() as AddressInfo).port}`);
    partly.close();
    expect(code).toBe(0);
    expect(err).toMatch(/^Counted only since 2026-11-20T00:00:00\.000Z: .* 2026-11-01T.*since:1d/);
  });

  it('stats fits the width of the terminal', async () => {
    const { out } = await runHere(['logs', 'stats', '--by', 'meta.user'], gateway.dir, { env, isTty: true, columns: 50 });
    expect(out.split('\n').filter((line) => line.length > 50)).toEqual([]);
    expect(out).toMatch(/REQUESTS +ERRORS .*COST/);
  });
});

describe('gateway logs tail', () => {
  it('prints requests as they end', async () => {
    const running = logs('tail', '--limit', '1', '--body', 'meta.user:u9');
    // Repeats the request until a row is seen, because the tail must be connected first.
    const timer = setInterval(() => void sendChat('support', 'hello', { user: 'u9' }), 200);
    const { out, code } = await running;
    clearInterval(timer);
    expect(code).toBe(0);
    expect(out).toMatch(/200 {2}support .*mock\/mock-model.*req_[0-9A-Z]{26}\n {10}hello\n/);
  });

  it('exits when the gateway stops, and reports it', async () => {
    const short = await startTestGateway(
      'version: 1\nproviders: {mock: {type: mock}}\nserver: {admin: {token: token-of-the-test-0123456789}}\n',
      {
        admin: true,
      },
    );
    const following: string[] = [];
    const running = runHere(['logs', 'tail'], short.dir, {
      env: { GATEWAY_ADMIN: adminUrl(short), GATEWAY_ADMIN_TOKEN: 'token-of-the-test-0123456789' },
      onStderr: (text) => following.push(text),
    });
    await until(() => following.join('').includes('following'), 'the connection');
    await short.close();
    expect(await running).toMatchObject({
      code: 4,
      err: expect.stringMatching(/error: the gateway at http:\S+ closed the connection\n/) as string,
    });
  });
});

it('gateway logs show --curl prints shell variables for masked values', async () => {
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer sk-client-0123456789abcdef',
    'x-gateway-config': '{"provider":"mock","api_key":"sk-inline-0123456789abcdef"}',
    'x-other-token': 'abcdef0123456789',
    'x-note': `it's "$HOME"`,
    'x-gateway-metadata': Buffer.from('{"city":"Zürich 🎉"}').toString('latin1'),
  };
  const body = '{"model":"mock-model","messages":[{"role":"user","content":"it\'s $HOME"}]}';
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
  await response.text();
  const id = response.headers.get('x-request-id') ?? '';
  const { out } = await until(async () => {
    const result = await logs('show', id, '--curl');
    return result.code === 0 && result;
  }, 'the record');
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${out}`], {
    encoding: 'utf8',
    env: { GATEWAY_API_KEY: 'KEY', X_GATEWAY_CONFIG: 'INLINE', X_OTHER_TOKEN: 'TOKEN', HOME: '/root' },
  });
  const curlArgs = stdout.split('\n');
  expect(curlArgs).toEqual(
    expect.arrayContaining([
      'authorization: Bearer KEY',
      'x-gateway-config: {"provider":"mock","api_key":"INLINE"}',
      'x-other-token: TOKEN',
      `x-note: it's "$HOME"`,
      'x-gateway-metadata: {"city":"Zürich 🎉"}',
      body,
    ]),
  );
  expect(out).not.toContain('***');
});

describe('admin commands with a wrong address or configuration', () => {
  const at = async (admin: string, ...args: string[]): Promise<RunResult> => runHere(args, gateway.dir, { env: { GATEWAY_ADMIN: admin } });
  const responses = new Map<string, unknown>();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(responses.get(request.url ?? '') ?? {}));
  });
  let other: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    other = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it.each([['status'], ['logs', 'search'], ['logs', 'tail']])('report that the address is the data listener: %s', async (...args) => {
    const { code, err } = await at(gateway.url, ...args);
    expect([code, err]).toEqual([4, expect.stringContaining('is the listener for clients, not the admin listener')]);
  });

  it.each([
    ['status'],
    ['logs', 'search'],
    ['logs', 'stats'],
    ['logs', 'tail'],
    ['reload'],
    ['drain'],
    ['dashboard'],
    ['plan', '--sample', '0'],
  ])('report that the address may be another program: %s %s', async (...args) => {
    expect(await at(other, ...args)).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('it may be another program') as string,
    });
  });

  it.each([['status'], ['reload'], ['drain'], ['logs', 'search']])(
    'do not search for the admin listener if the named file is missing: %s',
    async (...args) => {
      const err = 'error: nowhere.yaml:1: the file "nowhere.yaml" cannot be read (no such file)\n';
      expect(await runHere([...args, '-c', 'nowhere.yaml'], tmpdir(), { env: {} })).toEqual({ code: 3, out: '', err });
    },
  );

  it('use the default address if the file does not parse, and print the error', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'gateway-broken-'));
    writeFileSync(join(dir, 'gateway.yaml'), 'version: 1\nserver: {admin: {listen: "127.0.0.1:9"}\nproviders: {}\n');
    const unread = expect.stringMatching(/may be in what could not be read \(gateway\.yaml:\d+: /) as string;
    const env = { GATEWAY_ADMIN_TOKEN: '' };
    expect(await runHere(['status'], dir, { env: { ...env, GATEWAY_ADMIN: '127.0.0.1:9' } })).toMatchObject({ code: 4, err: unread });
    expect(await runHere(['status'], dir, { env: { ...env, GATEWAY_ADMIN: adminUrl(gateway) } })).toMatchObject({ code: 5, err: unread });
    rmSync(dir, { recursive: true });
  });

  it.each([['status'], ['logs', 'search', '--columns', 'time', '--csv']])('report a gateway of another version: %s', async (...args) => {
    responses.set('/api/session', { role: null, version: '0.0.9' });
    responses.set('/api/requests?q=&limit=50', { rows: [{}], next: null });
    expect(await at(other, ...args)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is a gateway of version 0\.0\.9, .*\nUse the gateway command of that version/) as string,
    });
  });
});

it.each([
  [['a', 1, null, true], 'a,1,,true\r\n'],
  [['a"b', 'c,d', 'e\nf'], '"a""b","c,d","e\nf"\r\n'],
  [['=1', '+1', '-1', '@x', '\t1', -1], `"'=1","'+1","'-1","'@x","'\t1",-1\r\n`],
] as const)('csvLine(%j)', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

it('reads metadata columns only from own properties', () => {
  const [column] = columnsOf('meta.__proto__');
  expect(column?.cell({ meta: {} } as LogRow)).toBe('-');
  expect(column?.value({ meta: {} } as LogRow)).toBeNull();
});

it.each([
  ['UTC', 'TIME'],
  ['America/New_York', 'TIME -05:00'],
  ['Asia/Kolkata', 'TIME +05:30'],
])('prints the time zone %s in the heading as %s', (zone, head) => {
  vi.stubEnv('TZ', zone);
  try {
    const [row] = makeRows(1, Date.parse('2026-11-22T12:00Z'), 1);
    expect(rowsTable(row === undefined ? [] : [row], columnsOf('time')).split('\n')[0]).toBe(head);
  } finally {
    vi.unstubAllEnvs();
  }
});

it('prints the zone of each time that differs from that of the heading, as before the end of summer time', () => {
  vi.stubEnv('TZ', 'Europe/London');
  try {
    const rows = ['2026-10-25T01:30Z', '2026-10-25T00:30Z'].map((at) => ({ ...(makeRows(1, 0, 1)[0] as LogRow), at: Date.parse(at) }));
    const lines = (of: readonly LogRow[]): string[] => rowsTable(of, columnsOf('time')).trimEnd().split('\n');
    expect(lines(rows)).toEqual(['TIME', '10-25 01:30:00', '10-25 01:30:00 +01:00']);
    expect(lines(rows.toReversed())).toEqual(['TIME +01:00', '10-25 01:30:00', '10-25 01:30:00 +00:00']);
  } finally {
    vi.unstubAllEnvs();
  }
});

it('csvLine removes terminal control characters', () => {
  expect(csvLine(['\u001b[2J\u001b]0;x\u0007a\tb', '\u009b31m'])).toBe('\ufffd[2J\ufffd]0;x\ufffda\tb,\ufffd31m\r\n');
});

describe('gateway logs show of a request', () => {
  const send = async (path: string, body: string, ...flags: string[]): Promise<string> => {
    const headers = { 'content-type': 'application/json', 'x-gateway-config': 'raw' };
    const response = await fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers, body });
    await response.bytes();
    const id = response.headers.get('x-request-id') ?? '';
    await until(async () => (await logs('show', id)).code === 0, 'the record in the store');
    return (await logs('show', id, '--body', ...flags)).out;
  };

  const speech = '{"model": "tts-1", "input": "Hello", "voice": "alloy"}';

  it('with an audio response shows its size instead of its bytes', async () => {
    const out = await send('audio/speech', speech);
    expect(out).toMatch(/content-type: audio\/mpeg\n.*\nnot text: \d+ B, which the dashboard can save\n$/);
  });

  it('with an audio response contains its bytes in the JSON', async () => {
    const { contents } = JSON.parse(await send('audio/speech', speech, '--json')) as { contents: { response: { base64: string } } };
    expect(Buffer.from(contents.response.base64, 'base64').length).toBeGreaterThan(100);
  });

  it('with an invalid body says why the log does not contain it', async () => {
    expect(await send('chat/completions', '{bad')).toContain('no body stored: it was not read completely, or was not valid\n');
    expect(JSON.parse(await send('chat/completions', '{bad', '--json'))).toMatchObject({ contents: { request: null } });
  });
});
