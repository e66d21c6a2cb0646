import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chunks, completion } from '../support/upstream.ts';
import { type FuzzRig, request, startFuzzRig } from './rig.ts';

/** An external provider that fails in each of its steps: only one request fails, and nothing stays behind. */

let rig: FuzzRig;
beforeAll(async () => {
  rig = await startFuzzRig(
    ([upstream]) => ({
      version: 1,
      server: { state_dir: 'memory', drain: { delay: '0s', timeout: '60s' }, max_in_flight: 2 },
      providers: { bad: { type: 'bad', api_key: 'sk-key-of-a-bad-provider-0123', custom_host: `${upstream}/v1` } },
      provider_plugins: [join(import.meta.dirname, 'bad-provider.ts')],
    }),
    1,
  );
});
afterAll(() => rig.close());

const responseBytes = (type: string, body: string, status = 200): Buffer =>
  Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

const validResponse = responseBytes('application/json', JSON.stringify(completion('hi')));
const stream = responseBytes('text/event-stream', chunks('hi', 'ho').join(''));
const errorResponse = responseBytes('application/json', '{"error":{"message":"break the reading of faults"}}', 400);

async function send(path: string, body: object, response: Buffer): Promise<{ status: number | undefined; end: string; text: string }> {
  const [upstream] = rig.upstreams;
  if (upstream !== undefined) upstream.response = { pieces: [response], then: 'keep' };
  const headers = { 'content-type': 'application/json', 'x-gateway-provider': '@bad' };
  return rig.send(request('POST', path, headers, JSON.stringify(body)));
}

const messages = [{ role: 'user', content: 'hi' }];
const taps = ['event', 'whole', 'complete', 'usage', 'finish', 'model', 'id', 'fault', 'form', 'mayBeEmpty', 'answer', 'contentEvents'];
const models = ['good', 'request', 'origin', 'path', 'header', 'nothing', 'tap', ...taps.map((name) => `tap.${name}`)];
const rows: readonly [model: string, kind: string, body: object, answer: Buffer][] = [
  ...[...models, 'full.result', 'full.cycle'].map((model) => [model, 'whole', { model, messages }, validResponse] as const),
  ...[...models, 'full.stream', 'full.push'].map((model) => [model, 'stream', { model, messages, stream: true }, stream] as const),
  ['good', 'error', { model: 'good', messages }, errorResponse],
].map(([model, kind, body, response]) => [model, kind, body, response] as [string, string, object, Buffer]);

it.each(rows)('a provider that fails in %s (%s) fails one request only', async (_model, _kind, body, answer) => {
  const response = await send('/v1/chat/completions', body, answer);
  expect([response.end, [200, 403, 404, 500, 502].includes(response.status ?? 0)]).toEqual(['ended', true]);
  const { unowned } = await rig.facts();
  expect(unowned).toEqual([]);
});

it.each(['throw', 'garbage', 'none', 'piece', 'later', 'status', 'header', 'many'])(
  'a response created by a provider in an invalid way (%s) fails one request only',
  async (kind) => {
    const response = await send('/v1/embeddings', { model: `local.${kind}`, input: 'x' }, validResponse);
    expect([response.end, kind === 'many' ? [200, 502] : [500, 502]]).toEqual(['ended', expect.arrayContaining([response.status])]);
    expect((await rig.facts()).unowned).toEqual([]);
  },
);

it('all requests are finished and release their slots', async () => {
  for (let n = 0; n < 3; n += 1) expect((await send('/v1/chat/completions', { model: 'good', messages }, validResponse)).status).toBe(200);
  const { drained, unowned } = await rig.drain();
  expect([drained, unowned]).toEqual([[], []]);
});
