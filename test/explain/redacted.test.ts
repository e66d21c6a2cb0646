import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestDifferences, ReplayResult } from '../../src/admin/api-types.ts';
import type { Explanation } from '../../src/core/logs/explanation.ts';
import type { StoredRecord } from '../../src/core/logs/reader.ts';
import { adminUrl, call } from '../admin/client.ts';
import { runHere } from '../cli/in-process.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const yaml = (url: string, bodies: string): string => `version: 1
server: {admin: {token: "\${env:ADMIN_TOKEN}"}}
logging: {requests: {bodies: ${bodies}}}
providers:
  main: {type: openai, api_key: sk-of-the-file-0001, custom_host: "${url}/v1"}
configs:
  support: {override_params: {temperature: 0.2}, targets: [main/gpt-4o-mini]}
`;

const adminToken = 'token-of-the-admin-0001';
const auth = { token: adminToken };

let upstream: ScriptedUpstream;
const gateways: TestGateway[] = [];
beforeAll(async () => {
  upstream = await startUpstream((response) =>
    json(response, 200, { object: 'chat.completion', choices: [], mail: 'support@example.com' }),
  );
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await upstream.close();
});

/** The admin API of a gateway with this body policy, and the id of a logged request. */
async function recorded(bodies: string, content: string): Promise<{ base: string; id: string }> {
  const gateway = await startTestGateway(yaml(upstream.url, bodies), { admin: true, env: { ADMIN_TOKEN: adminToken } });
  gateways.push(gateway);
  const base = adminUrl(gateway);
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': 'support' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await response.arrayBuffer();
  const id = response.headers.get('x-request-id') ?? '';
  await until(async () => (await call(base, `/api/requests/${id}`, auth)).status === 200, 'the record in the log');
  return { base, id };
}

describe('a request with a masked or missing body', () => {
  it('has differences and an explanation if masked, and is replayed only with force', async () => {
    const { base, id } = await recorded('redacted', 'write to jane@example.com please');
    const differences = (await call(base, `/api/requests/${id}/differences`, auth)).json as RequestDifferences;
    expect(differences.differences.map(({ path, cause }) => [path, cause])).toEqual([
      ['model', 'override_params'],
      ['temperature', 'override_params'],
    ]);
    const response = await call(base, '/api/explain', { ...auth, method: 'POST', body: { from_log: id } });
    expect((response.json as Explanation).targets[0]?.goes_here).toBe(true);
    expect(response.text).not.toContain('jane@example.com');
    const rejection = await call(base, '/api/replay', { ...auth, method: 'POST', body: { id } });
    expect(rejection).toMatchObject({
      status: 400,
      code: 'missing_required_parameter',
      text: expect.stringContaining('was masked in 1 place'),
    });
    const env = { GATEWAY_ADMIN_TOKEN: adminToken };
    const command = await runHere(['replay', id, '--admin', base], '/', { env });
    expect(command).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
    const forced = await call(base, '/api/replay', { ...auth, method: 'POST', body: { id, force: true } });
    expect(forced.json as ReplayResult).toMatchObject({ status: 200 });
    expect(upstream.requests.at(-1)?.body.toString()).not.toContain('jane@example.com');
  });

  it('is replayed if only the response was masked', async () => {
    const { base, id } = await recorded('redacted', 'whom do I write to');
    const { record } = (await call(base, `/api/requests/${id}`, auth)).json as StoredRecord;
    expect(record.redactions).toEqual({ email: 1 });
    const replayed = await call(base, '/api/replay', { ...auth, method: 'POST', body: { id } });
    expect(replayed.json as ReplayResult).toMatchObject({ status: 200 });
  });

  it('has no differences and no replay if the body was not stored', async () => {
    const { base, id } = await recorded('metadata', 'hello');
    const differences = (await call(base, `/api/requests/${id}/differences`, auth)).json as RequestDifferences;
    expect(differences).toEqual({ differences: [], why_absent: 'The request body is not kept (logging.requests.bodies).' });
    const rejection = await call(base, '/api/replay', { ...auth, method: 'POST', body: { id } });
    expect(rejection).toMatchObject({ code: 'record_not_found', text: expect.stringContaining('logging.requests.bodies') });
  });
});
