import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Skips targets on every route. */
const breaker = `
export default {
  name: 'breaker',
  options: { type: 'object' },
  moments: ['skip'],
  setup: () => ({ skip: (ctx, target) => ((ctx.headers.get('x-open') ?? '').includes(target.provider.slug) ? 'open for 12 s' : undefined) }),
};
`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { url }) =>
    json(response, 200, url.endsWith('/unknown') ? { fine: true } : completion('Hello')),
  );
  const provider = `{type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}`;
  const yaml = `
version: 1
providers: {one: ${provider}, two: ${provider}}
configs: {pair: {strategy: {mode: fallback}, targets: [one/m, two/m]}}
plugins: [auth, routing, {use: ./breaker.ts}, transform, fallback-retry]
`;
  gateway = await startTestGateway(yaml, { files: { 'breaker.ts': breaker } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const send = (path: string, open: string): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': 'pair', 'x-open': open },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
  });

it.each(['/v1/chat/completions', '/v1/unknown'])('POST %s skips the target and uses the next one', async (path) => {
  const response = await send(path, 'one');
  expect(response.status).toBe(200);
  expect(response.headers.get('x-gateway-attempts')).toMatch(/^one=skipped;0ms, two=200;\d+ms$/);
  await response.text();
  const record = await gateway.record(response.headers.get('x-request-id'));
  expect(record).toMatchObject({
    provider: 'two',
    attempts: [
      { provider: 'one', outcome: 'skipped', status: null, total_ms: 0, reason: 'breaker: open for 12 s' },
      { provider: 'two', outcome: 'answered', status: 200 },
    ],
  });
});

it('returns 503 with the reason if no target is left', async () => {
  const response = await send('/v1/chat/completions', 'one two');
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    error: {
      code: 'all_targets_failed',
      message: expect.stringContaining('two – Provider "two" was skipped (breaker: open for 12 s).') as unknown,
    },
  });
});
