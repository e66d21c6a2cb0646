import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { adminUrl } from '../admin/client.ts';
import { realtimeUsage as usage } from '../support/realtime.ts';
import { startTestGateway, until } from '../support/gateway.ts';

const ends = JSON.stringify({
  type: 'response.done',
  response: { status: 'completed', output: [{ transcript: 'ü'.repeat(40_000) }], usage },
});

/** Sends messages like OpenAI: the model, audio, and the end of a response in two fragments. */
function provider(model: string): WebSocketServer {
  const wss = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 0 } });
  wss.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'session.created', session: { type: 'realtime', model } }));
    socket.on('message', () => {
      socket.send(JSON.stringify({ type: 'response.output_audio.delta', delta: 'A'.repeat(20_000) }));
      socket.send(ends.slice(0, 10), { fin: false });
      socket.send(ends.slice(10), { fin: true });
    });
  });
  return wss;
}

async function serve(wss: WebSocketServer): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer().on('upgrade', (request, socket, head) =>
    wss.handleUpgrade(request, socket, head, (ws) => wss.emit('connection', ws)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

it('services known by name that use the same messages have their usage in the record, priced by the model that they name', async () => {
  const wss = provider('grok-voice');
  const { server, url } = await serve(wss);
  const models = { 'grok-voice': { input: 1, output: 2, audio_in: 3, audio_out: 4 } };
  const live = { type: 'xai', api_key: 'xai-0123456789', custom_host: url };
  const ownGateway = await startTestGateway(JSON.stringify({ version: 1, providers: { live }, pricing: models }));
  const client = new WebSocket(`${ownGateway.url.replace('http', 'ws')}/v1/realtime?model=@live/my-voice`);
  const received: string[] = [];
  client.on('message', (data: Buffer) => received.push(data.toString()));
  await once(client, 'open');
  client.send('{"type":"response.create"}');
  await until(() => received.at(-1) === ends, 'the end of the response');
  client.close(1000);
  await until(() => ownGateway.records.length > 0, 'the record');
  expect(ownGateway.records[0]).toMatchObject({
    model: { sent: 'my-voice', answered: 'grok-voice' },
    usage: { prompt: 132, completion: 121, cached: 64, audio_in: 13, audio_out: 91, source: 'reported' },
    cost: { usd: expect.stringMatching(/^0\.000/) as string },
  });
  await ownGateway.close();
  wss.close();
  server.close();
});

it('the cost of a realtime session is the sum of its responses, also if the client offers compression', async () => {
  const wss = provider('gpt-realtime');
  const { server, url } = await serve(wss);
  const live = { type: 'openai', api_key: 'sk-0123456789', custom_host: url };
  const ownGateway = await startTestGateway(JSON.stringify({ version: 1, providers: { live } }), { admin: true });
  const client = new WebSocket(`${ownGateway.url.replace('http', 'ws')}/v1/realtime?model=@live/my-voice`, { perMessageDeflate: true });
  const received: string[] = [];
  client.on('message', (data: Buffer) => received.push(data.toString()));
  await once(client, 'open');
  expect(client.extensions).toBe('');
  for (let talks = 1; talks <= 2; talks += 1) {
    client.send('{"type":"response.create"}');
    await until(() => received.filter((text) => text === ends).length === talks, 'the end of the response');
  }
  client.close(1000);
  await until(() => ownGateway.records.length > 0, 'the record');
  expect(ownGateway.records[0]).toMatchObject({
    endpoint: 'realtime',
    status: 101,
    usage: { prompt: 264, completion: 242, cached: 128, audio_in: 26, audio_out: 182, source: 'reported', details: { cached_audio: 20 } },
    // Twice 65 × 4 + 3 × 32 + 64 × 0.40 + 30 × 16 + 91 × 64 of a million.
    cost: { usd: '0.0133712' },
    socket: { close: { client: 1000, provider: 1000 } },
  });
  expect(await (await fetch(`${adminUrl(ownGateway)}/metrics`)).text()).toMatch(
    /^gateway_cost_usd_total\{config="-",provider="live",model="my-voice",key="-"\} 0\.0133712$/m,
  );
  await ownGateway.close();
  wss.close();
  server.close();
});
