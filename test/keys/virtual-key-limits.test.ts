import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Limits of virtual keys: they hold for all who use them, and other targets take over. */

/** Each request costs 0.3 dollars. */
const yamlFor = (limits: string): string => `version: 1
providers:
  mock: {type: mock}
  other: {type: mock}
virtual_keys: {team: {provider: mock, limits: {${limits}}}}
pricing: {mock/echo: {input: 100000, output: 200000, currency: USD}, other/echo: {input: 0, output: 0, currency: USD}}
configs:
  fallback: {strategy: {mode: fallback, on_status_codes: [429, 500]}, targets: [{virtual_key: team}, {provider: other}]}
  single: {targets: [{virtual_key: team}]}
  balanced: {strategy: {mode: loadbalance}, targets: [{virtual_key: team, weight: 1000}, {provider: other, weight: 1}]}
`;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});
const start = async (yaml: string, options: Parameters<typeof startTestGateway>[1] = {}): Promise<TestGateway> =>
  (gateway = await startTestGateway(yaml, options));

async function send({ url, record }: TestGateway, headers: Readonly<Record<string, string>>, path = 'chat/completions') {
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'x' }] }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  const { virtual_key: virtualKey, provider, attempts } = await record(response.headers.get('x-request-id'));
  return { status: response.status, message: error?.message, virtualKey, provider, reasons: attempts.map(({ reason }) => reason) };
}

const team = { 'x-gateway-virtual-key': 'team' };
const fallback = { 'x-gateway-config': 'fallback' };
const single = { 'x-gateway-config': 'single' };
const balanced = { 'x-gateway-config': 'balanced' };
const spent = 'Virtual key "team" has spent its budget of this month.';

it('a spent budget ends in 412 where there is no other target, and moves on where there is one', async () => {
  const running = await start(yamlFor('budget: 0.5USD/month'));
  expect(await send(running, fallback)).toMatchObject({ status: 200, virtualKey: 'team', provider: 'mock' });
  expect(await send(running, team)).toMatchObject({ status: 200, virtualKey: 'team' });
  for (const alone of [team, single]) expect(await send(running, alone)).toMatchObject({ status: 412, message: spent });
  for (const config of [fallback, balanced])
    expect(await send(running, config)).toMatchObject({
      status: 200,
      virtualKey: null,
      provider: 'other',
      reasons: ['limits: budget_exhausted', null],
    });
});

it.each([
  ['fallback', '{virtual_key: team}', '{provider: other, override_params: {model: fail}}'],
  ['fallback', '{provider: other, override_params: {model: fail}}', '{virtual_key: team}'],
  ['loadbalance', '{virtual_key: team, weight: 1000}', '{provider: other, override_params: {model: fail}}'],
])('if the circuits of all other targets are open, one of those is tried and not the virtual key: %s of %s and %s', async (...config) => {
  const [mode, first, second] = config;
  const strategy = `{mode: ${mode}, on_status_codes: [500], cb_config: {failure_threshold: 1}}`;
  const running = await start(`${yamlFor('budget: 0USD/day')}  failing: {strategy: ${strategy}, targets: [${first}, ${second}]}\n`);
  for (let i = 0; i < 2; i += 1) expect(await send(running, { 'x-gateway-config': 'failing' })).toMatchObject({ status: 500 });
});

it('a used rate is a 429, on which a fallback moves on', async () => {
  const running = await start(yamlFor('rate: 1/h'));
  expect(await send(running, team)).toMatchObject({ status: 200 });
  expect(await send(running, team)).toMatchObject({
    status: 429,
    message: 'Virtual key "team" has reached its limit of 1 request per hour.',
  });
  expect(await send(running, fallback)).toMatchObject({
    status: 200,
    provider: 'other',
    reasons: [expect.stringMatching(/^rate_limited: Virtual key "team"/), null],
  });
});

it('a budget is spent after a restart, too', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'virtual-budget-'));
  try {
    const first = await start(yamlFor('budget: 0.5USD/month'), { stateDir: dir });
    for (let i = 0; i < 2; i += 1) expect(await send(first, team)).toMatchObject({ status: 200 });
    await first.close();
    const second = await start(yamlFor('budget: 0.5USD/month'), { stateDir: dir });
    // A request that costs nothing.
    await expect.poll(async () => (await send(second, team, 'moderations')).status).toBe(412);
    expect(await send(second, team)).toMatchObject({ status: 412, message: spent });
    expect(await second.gateway.logs?.spent(0)).toHaveProperty('virtual_key:team.unpriced', 0);
  } finally {
    await gateway?.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
