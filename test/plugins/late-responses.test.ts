import { once } from 'node:events';
import { expect, it } from 'vitest';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { startTestGateway, until } from '../support/gateway.ts';

/** Returns 4 MB as the list of models when the test allows it. */
const plugin = `export default {
  name: 'own',
  endpoints: ['models'],
  options: { type: 'object' },
  setup: () => ({
    async plan() {
      process.emit('test:asked');
      await new Promise((resolve) => process.once('test:answer', resolve));
      return { answer: { status: 200, headers: [], body: Buffer.alloc(4 * 1024 * 1024, ' ') } };
    },
  }),
};`;

const yaml = `version: 1
providers: {mock: {type: mock, models: [echo]}}
server: {memory: 8MB}
plugins: [routing, transform, {use: ./own.ts}]
`;

it('releases the memory of a plugin response if the client has disconnected', async () => {
  const gateway = await startTestGateway(yaml, { files: { 'own.ts': plugin } });
  try {
    for (let n = 1; n <= 3; n += 1) {
      const client = new WireClient(gateway.url);
      const resolved = once(process, 'test:asked');
      client.write(headOf('GET /v1/models'));
      await resolved;
      client.close();
      await until(() => gateway.records.length === n, 'the record');
      process.emit('test:answer' as never);
    }
    expect(gateway.records.map(({ end }) => end)).toEqual(['client_gone', 'client_gone', 'client_gone']);
    const chat = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect([chat.status, await chat.text()]).toEqual([200, expect.stringContaining('hello')]);
  } finally {
    await gateway.close();
  }
});
