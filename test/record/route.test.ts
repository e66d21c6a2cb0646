import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const secret = 'a-secret-in-a-condition-'.repeat(4);

const yaml = `version: 1
server: {state_dir: memory}
providers: {one: {type: mock}, two: {type: mock}}
configs:
  plain: {strategy: {mode: fallback}, targets: [one/echo, two/echo]}
  secret:
    strategy: {mode: conditional, conditions: [{query: {metadata.token: "\${env:SECRET}"}, then: one}]}
    targets: [{name: one, provider: one}]
  plans:
    strategy:
      mode: conditional
      conditions: [{query: {metadata.plan: {$eq: paid}}, then: big}]
      default: small
    targets:
      - {name: big, provider: one}
      - {name: small, strategy: {mode: loadbalance}, targets: [{provider: one, weight: 0}, {provider: two, weight: 3}]}
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(yaml, { env: { SECRET: secret } });
});
afterAll(() => gateway.close());

async function routeOf(config: string, metadata = '{}') {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': config, 'x-gateway-metadata': metadata },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.arrayBuffer();
  return (await gateway.record(response.headers.get('x-request-id'))).route;
}

describe('route in the record', () => {
  it('names the condition that matched', async () => {
    expect(await routeOf('plans', '{"plan":"paid"}')).toEqual([
      { node: 'configs.plans', strategy: 'conditional', chose: 0, because: 'condition 1: metadata.plan = "paid"' },
    ]);
  });

  it('masks a secret that a condition compares', async () => {
    const [step] = await routeOf('secret', JSON.stringify({ token: secret }));
    expect(step?.because).toMatch(/^condition 1: metadata\.token = "\*+"$/);
  });

  it('shows the random choice of a loadbalance after the outer choice', async () => {
    expect(await routeOf('plans')).toEqual([
      { node: 'configs.plans', strategy: 'conditional', chose: 1, because: 'default' },
      {
        node: 'configs.plans.targets[1]',
        strategy: 'loadbalance',
        chose: 1,
        because: expect.stringMatching(/^weight 3 of 3, random number 0\.\d{4}$/),
      },
    ]);
  });

  it('is empty if there was no choice', async () => {
    expect(await routeOf('plain')).toEqual([]);
  });
});
