import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** The cache with a plugin that rejects responses. */

/** Does at `reply` what the request demands. */
const plugin = `export default {
  name: 'critic',
  options: { type: 'object' },
  setup: (_options, host) => ({
    reply({ headers }, attempt) {
      const error = host.error('overloaded', { message: 'No.' });
      if (headers.get('x-reply') === 'throw') throw error;
      if (headers.get('x-reply') === 'refuse' && attempt.tries === 0) return { refuse: error };
    },
  }),
};`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream((response, { body }) => {
    if (!body.includes('"stream":true')) json(response, 200, completion('Hello.'));
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunks('Hel').slice(0, 2).join(''));
  });
  gateway = await startTestGateway(
    `version: 1
plugins: [routing, transform, fallback-retry, {use: ./critic.ts}, logging]
providers: {main: {type: openai, custom_host: "${upstream.url}/v1", api_key: sk-main}}
configs: {main: {provider: main, cache: {mode: simple}, retry: {attempts: 1, on_status_codes: [503]}}}
`,
    { files: { 'critic.ts': plugin } },
  );
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function send(reply: string, isStream = false): Promise<readonly [number, string | null]> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': 'main', 'x-reply': reply },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: isStream }),
  });
  await response.text();
  return [response.status, response.headers.get('x-gateway-cache-status')];
}

it.each([
  ['a response', false],
  ['the beginning of a stream', true],
])('does not store %s if the client gets an error instead', async (_what, isStream) => {
  const first = await send('throw', isStream);
  expect([first, await send('throw', isStream), upstream.requests.length]).toEqual([first, [503, 'MISS'], 2]);
});

it('retries a stored response that is refused at the provider', async () => {
  await send('accept');
  expect([await send('refuse'), upstream.requests.length]).toEqual([[200, 'MISS'], 2]);
});
