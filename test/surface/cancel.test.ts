import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { bothProviders } from './both.ts';

/**
 * A cancel returns the object on every provider that supports it, also if the service returns an empty body.
 */

const openaiBatch = { id: 'b1', object: 'batch', endpoint: '/v1/chat/completions', status: 'cancelling', created_at: 1_767_312_000 };
const job = { id: 'b1', object: 'fine_tuning.job', status: 'cancelled', created_at: 1_767_312_000 };
const message = { id: 'b1', type: 'message_batch', processing_status: 'canceling', created_at: '2026-01-02T00:00:00Z' };
const vertexJob = {
  name: 'projects/1/locations/us-central1/batchPredictionJobs/b1',
  state: 'JOB_STATE_CANCELLING',
  createTime: '2026-01-02T00:00:00Z',
};
const tuningJob = { ...vertexJob, name: 'projects/1/locations/us-central1/tuningJobs/b1', state: 'JOB_STATE_CANCELLED' };

/** Provider, route, and the object as a read returns it. */
const rows = [
  ['openai', 'batches', openaiBatch],
  ['openai', 'fine_tuning/jobs', job],
  ['azure', 'batches', openaiBatch],
  ['azure', 'fine_tuning/jobs', job],
  ['claude', 'batches', message],
  ['vertex', 'batches', vertexJob],
  ['vertex', 'fine_tuning/jobs', tuningJob],
] as const;

/** Empty responses of a service. */
const silences = [
  ['204', 204, ''],
  ['an empty 200', 200, ''],
  ['an empty 202', 202, ''],
  ['an empty object', 200, '{}'],
] as const;

/** Responses to the read that contain no object. */
const unreadable = [
  ['204', 204, ''],
  ['an empty 200', 200, ''],
  ['an empty object', 200, '{}'],
  ['a list', 200, '[]'],
  ['null', 200, 'null'],
  ['a text', 200, '"b1"'],
  ['an object without an id', 200, '{"ok":true}'],
  ['no JSON', 200, 'cancelled'],
  ['a redirect', 302, ''],
] as const;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let cancel: { readonly status: number; readonly text: string };
let read: { readonly status: number; readonly text: string };

beforeAll(async () => {
  upstream = await startUpstream((response, { method }) => {
    const { status, text } = method === 'GET' ? read : cancel;
    response.writeHead(status, text === '' ? {} : { 'content-type': 'application/json' }).end(text === '' ? undefined : text);
  });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      providers: {
        ...bothProviders(upstream.url),
        claude: { type: 'anthropic', api_key: 'sk-2', custom_host: `${upstream.url}/v1` },
        vertex: { type: 'vertex-ai', api_key: 'ya29', region: 'us-central1', project: 'p', custom_host: upstream.url },
      },
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function cancelled(provider: string, route: string): Promise<{ response: Response; body: Record<string, unknown> }> {
  const response = await fetch(`${gateway.url}/v1/${route}/b1/cancel`, { method: 'POST', headers: { 'x-gateway-virtual-key': provider } });
  return { response, body: (await response.json()) as Record<string, unknown> };
}

describe.each(rows)('cancelling with %s, %s', (provider, route, object) => {
  const status = route === 'batches' ? 'cancelling' : 'cancelled';

  it.each(silences)('reads the object after %s', async (_name, code, text) => {
    upstream.requests.length = 0;
    cancel = { status: code, text };
    read = { status: 200, text: JSON.stringify(object) };
    const { response, body } = await cancelled(provider, route);
    expect([response.status, body['id'], body['status'], body['created_at']]).toEqual([200, 'b1', status, 1_767_312_000]);
    expect(body['object']).toBe(route === 'batches' ? 'batch' : 'fine_tuning.job');
    expect(upstream.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(upstream.requests[1]?.url).not.toContain('cancel');
  });

  it('returns the known fields and a warning if the object cannot be read', async () => {
    cancel = { status: 200, text: '' };
    read = { status: 500, text: '{"error":{"message":"down","type":"server_error"}}' };
    const { response, body } = await cancelled(provider, route);
    expect([response.status, body['id'], body['status']]).toEqual([200, 'b1', status]);
    expect(response.headers.get('x-gateway-warnings')).toContain('status 500');
  });

  it.each(unreadable)('returns the known fields if the read returns %s', async (_name, code, text) => {
    cancel = { status: 200, text: '' };
    read = { status: code, text };
    const { response, body } = await cancelled(provider, route);
    expect([response.status, body['id'], body['status']]).toEqual([200, 'b1', status]);
  });

  it('returns an error of the cancel without reading the object', async () => {
    upstream.requests.length = 0;
    cancel = { status: 409, text: '{"error":{"message":"It is over.","type":"invalid_request_error"}}' };
    const { response } = await cancelled(provider, route);
    expect([response.status, upstream.requests.length]).toEqual([409, 1]);
  });
});

it.each(['openai', 'azure', 'claude'])('does not read the object if the cancel of %s returns it', async (provider) => {
  upstream.requests.length = 0;
  cancel = { status: 200, text: JSON.stringify(provider === 'claude' ? message : openaiBatch) };
  const { body } = await cancelled(provider, 'batches');
  expect([body['status'], upstream.requests.length]).toEqual(['cancelling', 1]);
});
