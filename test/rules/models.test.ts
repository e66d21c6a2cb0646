import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { keyLines, keyOf, type Recorder, type Request, send, startRecorder, startWith } from './rig.ts';
import { plainRequest, type Route, routes } from './routes.ts';
import { spellings } from './spellings.ts';
import { big, small, waysOfModels } from './model-locations.ts';

/** A forbidden model never reaches a service: every rule, every way to name the model, every route. */

let upstream: Recorder;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startRecorder();
  const entry = `type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"`;
  gateway = await startWith(`
version: 1
providers:
  main: {${entry}}
  narrow: {${entry}, models: ["small*"]}
virtual_keys:
  vk: {provider: main, models: ["small*"]}
prompts:
  p1: {model: ${big}, messages: [{role: user, content: hi}]}
api_keys:
${keyLines({ free: '', small: 'allow: {models: ["small*"]}' })}`);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.received.length = 0;
});

/** Each kind of list: the key of the request and its target. */
const rules = [
  ['allow.models of a key', 'small', 'main'],
  ['models of a provider', 'free', 'narrow'],
  ['models of a virtual key', 'free', 'vk'],
] as const;

/** `TO` in a request is the provider that the rule applies to. */
const sendRequest = (key: string, to: string, { method, path, headers = {}, body, ...more }: Request) =>
  send(gateway.url, {
    ...more,
    method,
    path: path.replaceAll('TO', to),
    headers: {
      'x-gateway-api-key': keyOf(key),
      'x-gateway-virtual-key': to,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll('@TO', `@${to}`)])),
    },
    body: typeof body === 'string' ? body.replaceAll('@TO', `@${to}`) : body,
  });

describe.each(rules)('the list "%s"', (_, key, to) => {
  it.each(routes.map((route) => [route.name, route] as const))('blocks other models on %s', async (_route, route) => {
    const leaked: string[] = [];
    for (const [name, make] of waysOfModels) {
      const request = make(route);
      if (request === undefined) continue;
      upstream.received.length = 0;
      const { status } = await sendRequest(key, to, request);
      if (upstream.readings().includes(big)) leaked.push(name);
      if (status >= 500 && status !== 501) leaked.push(`${name}: ${status}`);
    }
    expect(leaked).toEqual([]);
  });

  it.each(spellings.map((spelling) => [spelling.name, spelling] as const))(
    'blocks other models in a form with %s',
    async (_name, spelling) => {
      for (const route of routes.filter(({ body, endpoint }) => body === 'form' && endpoint !== 'files')) {
        upstream.received.length = 0;
        await sendRequest(key, to, {
          method: 'POST',
          path: route.path,
          headers: { 'content-type': spelling.contentType },
          body: spelling.body,
        });
        expect(upstream.readings().includes(big)).toBe(false);
      }
    },
  );

  it.each(routes.filter(allows).map((route) => [route.name, route] as const))(
    'allows %s with a model on the list',
    async (_route, route) => {
      const { status, text } = await sendRequest(key, to, plainRequest(route, small));
      expect([text, upstream.received.length]).toEqual([expect.not.stringContaining('not_allowed'), expect.any(Number)]);
      expect(status).not.toBe(403);
    },
  );
});

/** Prompts have their own model; the body of a relayed request is not read. */
function allows({ endpoint, method, body }: Route): boolean {
  if (endpoint.startsWith('prompts/{id}/completions')) return false;
  if (endpoint === 'models/{id}' || endpoint === 'models/{id}/delete') return false;
  return (
    body !== 'passing' || endpoint === 'realtime' || method === 'GET' || method === 'DELETE' || method === 'HEAD' || method === 'OPTIONS'
  );
}

describe('without a list of models', () => {
  it.each(waysOfModels.map(([name, make]) => [name, make] as const))(
    '%s reaches the service on a route, or is not a valid request',
    async (name, make) => {
      upstream.received.length = 0;
      for (const route of routes) {
        const request = make(route);
        if (request !== undefined) await sendRequest('free', 'main', request);
      }
      expect(neverSent.test(name) || upstream.readings().includes(big)).toBe(true);
    },
  );
});

/** Never sent upstream: invalid JSON or configs, and headers that change the route. */
const neverSent =
  /a list as override|a comment|single quotes|a second object|x-http-method-override|x-original-url|x-rewrite-url|x-forwarded-uri|a file called model|\.\.\//;
