import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { keyLines, keyOf, type Received, type Recorder, type Request, send, startRecorder, startWith } from './rig.ts';
import { field, file, formOf, formType, jsonType, jsonWith, plainRequest, routes } from './routes.ts';
import { waysOfModels } from './model-locations.ts';

/** With a key that is bound to a config, the service gets what the config sets, on every route. */

let upstream: Recorder;
let other: Recorder;
let gateway: TestGateway;
beforeAll(async () => {
  [upstream, other] = await Promise.all([startRecorder(), startRecorder()]);
  gateway = await startWith(`
version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1", allow_custom_host: ["*.example", "${new URL(other.url).host}"]}
  other: {type: openai, api_key: sk-9876543210, custom_host: "${other.url}/v1"}
configs:
  cold: {targets: [{provider: main, override_params: {temperature: 0}}]}
  one: {targets: [{provider: main, override_params: {model: pinned-1}}]}
  both: {targets: [{provider: main, override_params: {model: pinned-1, temperature: 0}}]}
  free: {targets: [{provider: other}]}
prompts:
  p1: {model: "@main/m", messages: [{role: user, content: hi}]}
  p2: {model: "m", config: free, messages: [{role: user, content: hi}]}
api_keys:
${keyLines({
  cold: 'default_config: cold, enforce_config: true',
  one: 'default_config: one, enforce_config: true',
  both: 'default_config: both, enforce_config: true',
})}`);
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([upstream?.close(), other?.close()]);
});

const sendRequest = (key: string, { headers, ...request }: Request) => {
  const { 'x-gateway-config': sent, ...rest } = headers ?? {};
  const config = sent === undefined ? {} : { 'x-gateway-config': sent.replaceAll('@TO', '@main') };
  return send(gateway.url, {
    ...request,
    path: request.path.replaceAll('TO', 'main'),
    headers: { 'x-gateway-api-key': keyOf(key), ...rest, ...config },
    body: typeof request.body === 'string' ? request.body.replaceAll('@TO', '@main') : request.body,
  });
};

/** What is wrong with the received request. */
async function wrong(
  { method, url, headers, body }: Received,
  needs: { model: boolean; temperature: boolean },
): Promise<string | undefined> {
  const address = new URL(url, 'http://x');
  if (method === 'UPGRADE') return needs.temperature || address.searchParams.get('model') !== 'pinned-1' ? 'a session' : undefined;
  if (body.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  const isUpload = address.pathname === '/v1/files';
  if (type.startsWith('multipart/')) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    if (isUpload) return needs.temperature && form.get('purpose') === 'batch' ? 'lines' : undefined;
    if (needs.temperature && (form.get('temperature') !== '0' || form.getAll('temperature').length > 1)) return 'temperature of a form';
    return needs.model && form.get('model') !== 'pinned-1' ? 'model of a form' : undefined;
  }
  const value = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const set = [needs.model ? 'model' : '', needs.temperature ? 'temperature' : ''];
  const misspelled = Object.keys(value).filter((name) => !set.includes(name) && plain(name) !== '' && set.includes(plain(name)));
  if (misspelled.length > 0) return `spelled ${misspelled.join()}`;
  // A token count request omits parameters that affect only the response.
  const isCount = address.pathname === '/v1/responses/input_tokens' && value['temperature'] === undefined;
  if (needs.temperature && value['temperature'] !== 0 && !isCount) return 'temperature';
  return needs.model && !isBatch(address) && value['model'] !== 'pinned-1' ? 'model' : undefined;
}

const plain = (name: string): string => name.replaceAll(/[^a-z]/gi, '').toLowerCase();

/** The model of a batch is in its lines, which are checked against the same model at upload. */
const isBatch = ({ pathname }: URL): boolean => pathname === '/v1/batches';

const keys = [
  ['cold', { model: false, temperature: true }],
  ['one', { model: true, temperature: false }],
  ['both', { model: true, temperature: true }],
] as const;

const parametersWays = [
  '"temperature":2',
  '"Temperature":2',
  '"temperature":0,"temperature":2',
  '"temp\\u0065rature":2',
  '"TEMPERATURE ":2',
  '"temperature":[2]',
];
/** Some services read a file without a name as a text field. */
const formWays = [
  ...['temperature', 'Temperature', 'temperature[]'].map((name) => field(name, '2')),
  ...['', '2.txt'].map((filename) => file('temperature', '2', filename)),
];

describe.each(keys)('a key bound to config "%s"', (key, needs) => {
  it.each(routes.map((route) => [route.name, route] as const))('sends what the config sets on %s', async (_name, route) => {
    const requests = [
      plainRequest(route, 'm'),
      ...waysOfModels.flatMap(([, make]) => make(route) ?? []),
      ...(route.body === 'json' || (route.body === 'passing' && route.endpoint !== 'realtime')
        ? parametersWays.map((members) => ({
            method: route.method,
            path: route.path,
            headers: jsonType,
            body: jsonWith(route, `"model":"m",${members}`),
          }))
        : []),
      ...(route.body === 'form'
        ? formWays.flatMap((part) => {
            const rest = [field('model', 'm'), field('prompt', 'x'), field('purpose', 'assistants'), file('file', 'x')];
            return [
              [part, ...rest],
              [...rest, part],
            ].map((parts) => ({ method: route.method, path: route.path, headers: formType, body: formOf(parts) }));
          })
        : []),
    ];
    const faults: string[] = [];
    for (const request of requests) {
      upstream.received.length = 0;
      other.received.length = 0;
      await sendRequest(key, request);
      for (const one of upstream.received) {
        const problem = await wrong(one, needs);
        if (problem !== undefined) faults.push(`${problem}: ${one.method} ${one.url} ${one.body.toString('utf8').slice(0, 200)}`);
      }
      if (other.received.length > 0) faults.push('another provider');
    }
    expect(faults).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['a config', { 'x-gateway-config': 'free' }],
    ['an inline config', { 'x-gateway-config': '{"provider":"@other"}' }],
    ['a provider', { 'x-gateway-provider': '@other' }],
    ['a provider with another header prefix', { 'x-portkey-provider': '@other' }],
    ['a virtual key', { 'x-gateway-virtual-key': 'other' }],
    ['a type with a credential', { 'x-gateway-provider': 'openai', authorization: 'Bearer sk-own-0123456789' }],
    ['a host', { 'x-gateway-custom-host': 'https://api.example/v1' }],
    ['headers to forward', { 'x-gateway-forward-headers': 'x-model', 'x-model': 'm' }],
    ['an organization', { 'x-gateway-openai-organization': 'org-1' }],
  ])('is rejected when the request chooses %s', async (_name, headers) => {
    upstream.received.length = 0;
    other.received.length = 0;
    for (const route of routes.filter(({ endpoint }) => !endpoint.startsWith('models') && endpoint !== 'prompts/{id}/render')) {
      const plain = plainRequest(route, 'm');
      await sendRequest(key, { ...plain, headers: { ...plain.headers, ...headers } });
    }
    expect([...upstream.received, ...other.received].map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  });

  it('gets 200 if the config can be applied', async () => {
    const route = routes.find(({ name }) => name === 'POST /v1/chat/completions');
    expect(route === undefined ? 0 : (await sendRequest(key, plainRequest(route, 'pinned-1'))).status).toBe(200);
    const image = routes.find(({ name }) => name === 'POST /v1/images/edits');
    expect(image === undefined ? 0 : (await sendRequest(key, plainRequest(image, 'pinned-1'))).status).toBe(200);
  });
});
