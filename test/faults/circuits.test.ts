import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Paths of the providers at the upstream that fail. */
const down = new Set<string>();
/** Paths whose streams fail after some content. */
const breaking = new Set<string>();

const key = 'sk-0123456789';
const breaker = (failures: number, cooldownMs = 3_600_000): string =>
  `cb_config: {failure_threshold: ${failures}, cooldown_interval: ${cooldownMs}}`;

function yamlFor(url: string, more = ''): string {
  const provider = (name: string): string => `{type: openai, api_key: ${key}, custom_host: "${url}/${name}/v1"}`;
  return `version: 1
${more}providers: {a: ${provider('a')}, b: ${provider('b')}, c: ${provider('c')}}
configs:
  order: {strategy: {mode: fallback, ${breaker(2, 1000)}}, targets: [a/m, b/m]}
  share: {strategy: {mode: loadbalance, ${breaker(2)}}, targets: [{provider: a, weight: 1000000}, b/m]}
  long: {strategy: {mode: fallback, cb_config: {failureThreshold: 1, cooldown_interval: 3600000}}, targets: [a/m, b/m]}
  all: {strategy: {mode: fallback, ${breaker(1)}}, targets: [a/m, b/m, c/m]}
  two: {strategy: {mode: fallback, ${breaker(1)}}, targets: [a/m, b/m]}
  drawn: {strategy: {mode: loadbalance, ${breaker(1)}}, targets: [a/m, b/m]}
  streams: {strategy: {mode: fallback, ${breaker(1)}}, targets: [a/m, b/m]}
  later: {strategy: {mode: fallback, ${breaker(1)}}, targets: [a/m, b/m]}
`;
}

interface ReadResponse {
  readonly status: number;
  /** `a=500 b=200`: without times. */
  readonly attempts: string;
  readonly id: string;
}

/** Uses its own connection, so that any worker may accept it. */
function send(base: string, config: string, body: object = {}): Promise<ReadResponse> {
  const headers = { 'content-type': 'application/json', 'x-gateway-config': config };
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/v1/chat/completions`, { method: 'POST', agent: false, headers });
    sent.on('error', reject).on('response', (response) => {
      const { 'x-gateway-attempts': attempts = '', 'x-request-id': id } = response.headers;
      const entry = {
        status: response.statusCode ?? 0,
        attempts: String(attempts)
          .replaceAll(/;\d+ms/g, '')
          .replaceAll(',', ''),
        id: String(id),
      };
      response
        .on('error', reject)
        .on('end', () => resolve(entry))
        .resume();
    });
    sent.end(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }));
  });
}

let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startUpstream((response, { url, body }) => {
    const name = url.split('/')[1] ?? '';
    const isDown = down.has(name);
    const isStream = JSON.parse(body.toString()).stream === true;
    if (isStream && breaking.has(name)) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunks('Hello', ' there').slice(0, 3).join(''));
      setTimeout(() => response.destroy(), 20);
    } else if (isStream && isDown) sse(response, ['data: {"error":{"message":"busy","type":"server_error"}}\n\n']);
    else json(response, isDown ? 500 : 200, isDown ? { error: { message: 'down' } } : completion('Hello'));
  });
});
afterAll(() => upstream.close());
beforeEach(() => {
  down.clear();
  breaking.clear();
});

describe('a circuit breaker', () => {
  let gateway: TestGateway;
  const sendTo = (config: string, body?: object): Promise<ReadResponse> => send(gateway.url, config, body);
  const attempts = async (config: string, body?: object): Promise<string> => (await sendTo(config, body)).attempts;

  beforeAll(async () => {
    gateway = await startTestGateway(yamlFor(upstream.url));
  });
  afterAll(() => gateway.close());

  it('skips a target that keeps failing, and uses it again after it recovers', async () => {
    down.add('a');
    expect([await attempts('order'), await attempts('order')]).toEqual(['a=500 b=200', 'a=500 b=200']);
    // On a slow machine the cool-down may be over, so that one request tries the target.
    const { id } = await until(async () => {
      const response = await sendTo('order');
      return response.attempts === 'a=skipped b=200' && response;
    }, 'the target to be left out');
    const record = await gateway.record(id);
    expect(record).toMatchObject({
      provider: 'b',
      attempts: [{ outcome: 'skipped', model: 'm', reason: 'fallback-retry: circuit open, next attempt in 1 s' }, { outcome: 'answered' }],
    });
    expect(record.plugins).toContainEqual(expect.objectContaining({ name: 'fallback-retry', moment: 'skip' }));
    down.delete('a');
    await until(async () => (await attempts('order')) === 'a=200', 'the target to be used again');
    const messages = gateway.lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect([messages[0], messages.at(-1)]).toEqual([
      'circuit opened: the target failed too often and is skipped',
      'circuit closed: the target is used again',
    ]);
  });

  it('moves the share of a skipped target to the others', async () => {
    down.add('a');
    expect([(await sendTo('share')).status, (await sendTo('share')).status]).toEqual([500, 500]);
    expect(await attempts('share')).toBe('a=skipped b=200');
  });

  it('uses all targets in their order if every one would be skipped', async () => {
    for (const name of ['a', 'b', 'c']) down.add(name);
    expect(await attempts('all')).toBe('a=500 b=500 c=500');
    expect(await attempts('all')).toBe('a=skipped b=skipped c=skipped a=500 b=500 c=500');
    down.delete('b');
    expect(await attempts('all')).toBe('a=skipped b=skipped c=skipped a=500 b=200');
    expect(await attempts('all')).toBe('a=skipped b=200');
  });

  it('does not try a skipped target after another one has failed', async () => {
    down.add('a').add('b');
    expect(await attempts('two')).toBe('a=500 b=500');
    down.delete('a');
    expect(await attempts('two')).toBe('a=skipped b=skipped a=200');
    down.add('a');
    expect(await attempts('two')).toBe('a=500 b=skipped');
  });

  it('uses a skipped target if a loadbalance has no other one', async () => {
    down.add('a').add('b');
    await until(async () => (await attempts('drawn')).includes('skipped'), 'one to be left out');
    await until(async () => /^[ab]=skipped [ab]=skipped [ab]=500$/.test(await attempts('drawn')), 'both to be left out');
    down.clear();
    expect((await sendTo('drawn')).status).toBe(200);
  });

  it('counts an error at the beginning of a stream', async () => {
    down.add('a');
    expect(await attempts('streams', { stream: true })).toBe('a=faulty b=200');
    expect(await attempts('streams', { stream: true })).toBe('a=skipped b=200');
  });

  it('counts a stream that fails after its beginning', async () => {
    breaking.add('a');
    expect(await attempts('later', { stream: true })).toBe('a=200');
    expect(await attempts('later')).toBe('a=skipped b=200');
  });

  it('stays open after a reload and is reset if its settings change', async () => {
    down.add('a');
    await attempts('long');
    await gateway.write(yamlFor(upstream.url, '# another revision\n'));
    await gateway.gateway.reload();
    expect(await attempts('long')).toBe('a=skipped b=200');
    await gateway.write(yamlFor(upstream.url).replaceAll('cooldown_interval: 3600000', 'cooldown_interval: 3600001'));
    await gateway.gateway.reload();
    expect(await attempts('long')).toBe('a=500 b=200');
  });

  it('is separate for each inline config of a request', async () => {
    const text = (name: string): string =>
      JSON.stringify({
        name,
        strategy: { mode: 'fallback', cbConfig: { failure_threshold: 1 } },
        targets: [{ provider: '@a' }, { provider: '@b' }],
      });
    down.add('a');
    expect([await attempts(text('one')), await attempts(text('one')), await attempts(text('two'))]).toEqual([
      'a=500 b=200',
      'a=skipped b=200',
      'a=500 b=200',
    ]);
    expect((await sendTo(text('one').replace('"failure_threshold":1', ''))).status).toBe(400);
  });
});

it('a circuit is shared by all workers, also by one that replaces another', async () => {
  const gateway = await startTestGateway(yamlFor(upstream.url, 'server: {workers: 2}\n'), { workers: {} });
  try {
    down.add('a');
    const count = async (from: string): Promise<number> => {
      const all = await Promise.all(Array.from({ length: 16 }, () => send(gateway.url, 'long')));
      return all.filter(({ attempts }) => attempts === from).length;
    };
    await send(gateway.url, 'long');
    await until(async () => (await count('a=skipped b=200')) === 16, 'both workers to know');
    const before = upstream.requests.filter(({ url }) => url.startsWith('/a/')).length;
    expect(await count('a=skipped b=200')).toBe(16);
    const victim = gateway.gateway.workers()?.[0];
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const first = () => gateway.gateway.workers()?.[0];
    await until(() => first()?.pid !== victim?.pid && first()?.state === 'serving', 'a new worker');
    const servedBefore = first()?.requests ?? 0;
    await until(async () => (await count('a=skipped b=200')) === 16 && (first()?.requests ?? 0) > servedBefore, 'the new worker to serve');
    expect(upstream.requests.filter(({ url }) => url.startsWith('/a/'))).toHaveLength(before);
  } finally {
    await gateway.close();
  }
});
