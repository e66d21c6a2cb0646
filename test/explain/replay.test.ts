import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplayResult, RequestDifferences } from '../../src/admin/api-types.ts';
import type { Explanation } from '../../src/core/logs/explanation.ts';
import type { StoredRecord } from '../../src/core/logs/reader.ts';
import { adminUrl, call } from '../admin/client.ts';
import { runHere } from '../cli/in-process.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const secret = 'sk-canary-of-the-provider-01';
const gatewayKey = 'canary-key-of-the-gateway-02';
const adminToken = 'canary-token-of-the-admin-03';

const yaml = (url: string): string => `version: 1
server: {admin: {token: "\${env:ADMIN_TOKEN}"}, header_prefixes: [x-acme-]}
logging: {requests: {bodies: full}}
providers:
  main: {type: openai, api_key: "\${env:MAIN_KEY}", custom_host: "${url}/main/v1"}
  gem: {type: gemini, api_key: "\${env:MAIN_KEY}", custom_host: "${url}/gem/v1beta"}
api_keys:
  web: {hash: "sha256:${createHash('sha256').update(gatewayKey).digest('hex')}", default_config: support}
configs:
  support:
    labels: {team: web}
    override_params:
      temperature: 0.2
    targets: [main/gpt-4o-mini]
    cache: {mode: simple}
  converted:
    override_params: {top_p: 0.5}
    targets: [{provider: gem, override_params: {model: gemini-2.5-pro}}]
`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let base: string;
let id: string;
let converted: string;

const completionWith = (text: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

beforeAll(async () => {
  upstream = await startUpstream((response, request, count) => {
    if (request.url.startsWith('/gem')) json(response, 400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } });
    else json(response, 200, completionWith(`response ${count}`));
  });
  gateway = await startTestGateway(yaml(upstream.url), { admin: true, env: { MAIN_KEY: secret, ADMIN_TOKEN: adminToken } });
  base = adminUrl(gateway);
  id = await send({});
  converted = await send({ 'x-gateway-config': 'converted' });
  await waitForRecord(converted);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const body = { model: 'gpt-4o', temperature: 0.9, messages: [{ role: 'user', content: 'a question' }] };

async function send(headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': gatewayKey, 'x-gateway-metadata': '{"user":"u1"}', ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.headers.get('x-request-id') ?? '';
}

/** Waits until the log contains the request. */
async function waitForRecord(recordId: string): Promise<void> {
  await until(async () => (await call(base, `/api/requests/${recordId}`, { token: adminToken })).status === 200, `record ${recordId}`);
}

const post = async <T>(path: string, sent?: object): Promise<T> => {
  const response = await call(base, path, { token: adminToken, ...(sent === undefined ? {} : { method: 'POST', body: sent }) });
  expect(response.status, response.text).toBe(200);
  expect(response.text).not.toMatch(/canary/);
  return response.json as T;
};

const run = (args: string[], more: { stdin?: string } = {}) =>
  runHere([...args, '--admin', base], gateway.dir, {
    env: { GATEWAY_ADMIN_TOKEN: adminToken, MAIN_KEY: secret, ADMIN_TOKEN: adminToken },
    ...more,
  });

describe('a recorded request', () => {
  it('shows what was changed, and by which line of the configuration', async () => {
    const differences = await post<RequestDifferences>(`/api/requests/${id}/differences`);
    expect(differences.why_absent).toBeNull();
    expect(differences.differences).toContainEqual({
      path: 'temperature',
      kind: 'changed',
      before: '0.9',
      after: '0.2',
      cause: 'override_params',
      at: { file: expect.stringMatching(/gateway\.yaml$/), line: 13 },
    });
    expect(differences.differences).toContainEqual(expect.objectContaining({ path: 'model', before: '"gpt-4o"', after: '"gpt-4o-mini"' }));
  });

  it('shows the changes of a format conversion', async () => {
    const { differences } = await post<RequestDifferences>(`/api/requests/${converted}/differences`);
    expect(differences).toContainEqual(
      expect.objectContaining({ path: 'contents[0].parts[0].text', kind: 'moved', from: 'messages[0].content', cause: 'format of gemini' }),
    );
    expect(differences).toContainEqual(expect.objectContaining({ path: 'top_p', kind: 'added', cause: 'override_params' }));
  });

  it('is explained with the active configuration', async () => {
    const [recorded, sent] = [gateway.records.length, upstream.requests.length];
    const explanation = await post<Explanation>('/api/explain', { from_log: id });
    expect(explanation).toMatchObject({ key: { name: 'web' }, config: { name: 'support' }, answer: null });
    expect(explanation.targets[0]?.body).toBe(upstream.requests[0]?.body.toString('utf8'));
    expect(explanation.targets[0]?.headers).toContainEqual(['authorization', 'Bearer ${env:MAIN_KEY}']);
    const other = await post<Explanation>('/api/explain', { from_log: id, headers: { 'x-gateway-config': 'converted' } });
    expect(other.targets[0]?.provider).toBe('gem');
    expect([gateway.records.length, upstream.requests.length]).toEqual([recorded, sent]);
  });

  it('is replayed without the cache, and the responses are compared', async () => {
    const before = upstream.requests.length;
    const result = await post<ReplayResult>('/api/replay', { id, api_key: gatewayKey });
    expect(result).toMatchObject({ status: 200, why_absent: null });
    expect(result.id).not.toBe(id);
    expect(upstream.requests).toHaveLength(before + 1);
    expect(upstream.requests.at(-1)?.body).toEqual(upstream.requests[0]?.body);
    expect(result.differences).toEqual([expect.objectContaining({ path: 'choices[0].message.content', before: '"response 1"' })]);
  });

  it('needs the key for a replay if the gateway requires keys', async () => {
    expect(await post<ReplayResult>('/api/replay', { id })).toMatchObject({ status: 401 });
  });

  it('is replayed to another target or config', async () => {
    expect(await post<ReplayResult>('/api/replay', { id, api_key: gatewayKey, to: 'gem/gemini-2.0-flash' })).toMatchObject({
      status: 400,
    });
    expect(upstream.requests.at(-1)?.url).toMatch(/^\/gem\/v1beta\/models\/gemini-2\.0-flash:generateContent/);
    await post<ReplayResult>('/api/replay', { id, api_key: gatewayKey, config: 'converted' });
    expect(upstream.requests.at(-1)?.url).toMatch(/gemini-2\.5-pro/);
  });

  it('is rejected with record_not_found if its id is unknown', async () => {
    expect(await call(base, '/api/replay', { method: 'POST', token: adminToken, body: { id: 'req_none' } })).toMatchObject({
      status: 404,
      code: 'record_not_found',
    });
  });

  it('of an unauthenticated client has no body, whatever the settings', async () => {
    const otherKeyId = await send({ 'x-gateway-api-key': 'another-key-of-nobody-04' });
    await waitForRecord(otherKeyId);
    const response = await call(base, '/api/explain', { method: 'POST', token: adminToken, body: { from_log: otherKeyId } });
    expect(response).toMatchObject({ status: 404, code: 'record_not_found' });
    expect(response.text).toContain('of requests that were rejected by their head');
    expect(response.text).not.toContain('logging.requests.bodies');
  });

  it.each([
    ['chat/completions', true],
    ['fine_tuning/jobs', false],
    ['responses/input_tokens', false],
  ])('to %s has an estimated input cost: %s', async (endpoint, hasPrice) => {
    const headers = { 'x-gateway-provider': '@main' };
    const sent = { ...body, model: 'gpt-4o-mini', input: 'x', training_file: 'file-1' };
    const { targets } = await post<Explanation>('/api/explain', { path: `/v1/${endpoint}`, key: 'web', headers, body: sent });
    expect(targets).toMatchObject([{ cost_usd: hasPrice ? (expect.any(String) as string) : null }]);
  });

  it.each([
    [{ random: 2 }, 'invalid_value'],
    [{ headers: { a: 'b\r\nc: d' } }, 'invalid_value'],
    [{ headers: [] }, 'invalid_type'],
    [{ assume: { main: 'gone' } }, 'invalid_value'],
    [{ key: 'wep' }, 'not_allowed'],
    [{ path: 7 }, 'invalid_type'],
  ])('is not explained with invalid options: %j', async (sent, code) => {
    expect(await call(base, '/api/explain', { method: 'POST', token: adminToken, body: sent })).toMatchObject({ code });
  });
});

describe('gateway replay and gateway explain --from-log', () => {
  it('replays a recorded request after printing the target', async () => {
    const result = await run(['replay', id.slice(0, -2), '--key-stdin'], { stdin: `${gatewayKey}\n` });
    expect(result.err).toMatch(/target 0 {3}main\/gpt-4o-mini {3}← goes here/);
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/"content":"response \d+"/) });
    expect(result.out + result.err).not.toMatch(/canary/);
    const diff = await run(['replay', id, '--key-stdin', '--diff'], { stdin: gatewayKey });
    expect(diff.out).toMatch(/^~ choices\[0\]\.message\.content {2}"response 1" → "response \d+"/);
    expect(result.err).not.toMatch(/--key-stdin/);
    expect(await run(['replay', id])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/missing_api_key/),
      err: expect.stringMatching(/status 401 .*\n.* set \$GATEWAY_API_KEY, or use --key-stdin\.\n$/),
    });
  });

  it('explains a recorded request without sending it', async () => {
    const before = upstream.requests.length;
    const running = await run(['logs', 'replay', id, '--dry-run', '--to', 'gem/gemini-2.0-flash']);
    expect(running.out).toMatch(/target 0 {3}gem\/gemini-2\.0-flash {3}← goes here/);
    // The short id that `gateway start` prints.
    const file = await run(['explain', '--from-log', `req_…${id.slice(-10)}`]);
    expect(file.out).toMatch(/~ temperature {2}0\.9 → 0\.2 {2}from override_params +gateway\.yaml:13/);
    const json = await run(['explain', '--running', '--from-log', id, '--json', '--config-name', 'converted']);
    expect(JSON.parse(json.out)).toMatchObject({ config: { name: 'converted' } });
    expect(upstream.requests).toHaveLength(before);
  });

  it('replace the gateway headers of the configured prefixes, and repeat headers of other programs', async () => {
    const sent = await send({ 'x-acme-config': 'support', 'x-other-config': 'a', 'x-gateway-forward-headers': 'x-other-config' });
    await waitForRecord(sent);
    await post<ReplayResult>('/api/replay', { id: sent, api_key: gatewayKey, to: 'main/gpt-4o-mini' });
    expect(upstream.requests.at(-1)?.headers['x-other-config']).toBe('a');
    const { out } = await run(['logs', 'replay', sent, '--dry-run', '--config-name', 'converted', '--json']);
    expect(JSON.parse(out)).toMatchObject({ config: { name: 'converted' }, overruled: [] });
    expect(out).toContain('x-other-config');
  });

  it('explains a recorded request with a file that lacks its key, and prints a warning', async () => {
    const open = join(gateway.dir, 'open.yaml');
    await writeFile(open, 'version: 1\nproviders: {main: {type: mock}}\nconfigs: {support: {targets: [main/gpt-4o-mini]}}\n');
    const result = await run(['explain', '--from-log', id, '-c', open, '--config-name', 'support', '--json']);
    expect(JSON.parse(result.out)).toMatchObject({
      key: { name: null },
      targets: [{ provider: 'main', goes_here: true }],
      warnings: [expect.stringMatching(/API key "web", which this configuration does not have/)],
    });
    const explainedWithKey = await run(['explain', '--from-log', id, '-c', open, '--key', 'web']);
    expect(explainedWithKey).toMatchObject({ code: 1, err: expect.stringContaining('No API key is called "web"') });
    for (const [key, warning] of [
      ['gone', /API key "gone"/],
      ['jwt:alice', /with a token, which is not in the log/],
    ] as const) {
      const running = await post<Explanation>('/api/explain', { recorded_key: key });
      expect(running).toMatchObject({ answer: { code: 'missing_api_key' }, warnings: [expect.stringMatching(warning)] });
    }
  });

  it('exit with an error for an unknown request or an invalid target', async () => {
    expect(await run(['replay', 'req_none'])).toMatchObject({ code: 1, err: expect.stringContaining('req_none') });
    expect(await run(['replay', id, '--to', '/'])).toMatchObject({ code: 2 });
  });
});

it('records, shows and replays the query of a request without its credentials', async () => {
  const response = await fetch(`${gateway.url}/v1/things?limit=3&purpose=a%20b&client_secret=canary-in-the-query&order=asc`, {
    headers: { 'x-gateway-api-key': gatewayKey, 'x-gateway-provider': '@main' },
  });
  await response.arrayBuffer();
  const listed = response.headers.get('x-request-id') ?? '';
  await waitForRecord(listed);
  const { record } = await post<StoredRecord>(`/api/requests/${listed}`);
  expect(record.path).toBe('/v1/things?limit=3&purpose=a%20b&client_secret=***&order=asc');
  expect((await run(['logs', 'show', listed])).out).toContain('/v1/things?limit=3');
  await post<ReplayResult>('/api/replay', { id: listed, api_key: gatewayKey });
  expect(upstream.requests.at(-1)?.url).toBe('/main/v1/things?limit=3&purpose=a%20b&order=asc');
  expect(JSON.stringify(await post<Explanation>('/api/explain', { from_log: listed }))).toContain(
    '/main/v1/things?limit=3&purpose=a%20b&order=asc',
  );

  const explained = await run(['explain', '--from-log', listed, '--json']);
  expect(JSON.parse(explained.out)).toMatchObject({ targets: [{ method: 'GET', body: null }] });
  const replayed = await post<ReplayResult>('/api/replay', { id: listed, api_key: gatewayKey, to: 'gem' });
  expect(replayed.body).toContain('gem');

  const long = await fetch(`${gateway.url}/v1/things?after=${'x'.repeat(600)}`, {
    headers: { 'x-gateway-api-key': gatewayKey, 'x-gateway-provider': '@main' },
  });
  await long.arrayBuffer();
  const truncatedId = long.headers.get('x-request-id') ?? '';
  await waitForRecord(truncatedId);
  expect(await call(base, '/api/replay', { method: 'POST', token: adminToken, body: { id: truncatedId } })).toMatchObject({
    code: 'record_not_found',
    text: expect.stringContaining('its query is not stored completely'),
  });
});
