import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { adminUrl, call } from '../admin/client.ts';
import { filesBelow } from '../leaks/sinks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Bodies too large to be masked on the event loop: which part is stored, and that nothing unmasked is written to disk. */

const large = 256 * 1024;
const mails = (size: number): string => 'write to jane.doe@canary.example '.repeat(size / 33);

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream((response, { body }) => {
    const isStream = body.includes('"stream":true');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    if (!isStream) {
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices: [choice({ message: assistantMessage })] }));
      return;
    }
    for (let i = 0; i < 2000; i += 1)
      response.write(`data: ${JSON.stringify({ id: 'c', model: 'm', choices: [choice({ delta: assistantMessage })] })}\n\n`);
    response.end('data: [DONE]\n\n');
  });
});
afterAll(() => upstream.close());
const assistantMessage = { role: 'assistant', content: mails(66) };
const choice = (message: object): object => ({ index: 0, finish_reason: null, ...message });

let gateway: TestGateway;
const start = async (requests: string): Promise<void> => {
  gateway = await startTestGateway(
    `version: 1
providers: {p: {type: openai, api_key: "key-of-the-provider", custom_host: "${upstream.url}/v1"}}
configs: {patched: {provider: p, override_params: {metadata: {note: "${mails(large).replaceAll('canary', 'config')}"}}}}
logging: {requests: ${requests}}
`,
    { admin: true },
  );
};
afterEach(() => gateway.close());

async function send(body: object, headers: Readonly<Record<string, string>> = {}): Promise<{ id: string | null; text: string }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@p/m', ...body }),
  });
  return { id: response.headers.get('x-request-id'), text: await response.text() };
}

const messages = (content: string): object => ({ messages: [{ role: 'user', content }] });
const onDisk = (): string => [...filesBelow(join(gateway.dir, '.gateway')).values()].join('');

describe('large body', () => {
  it('is masked before it is stored, and the record is written before the response ends', async () => {
    await start('{max_body: 8MB}');
    const { id, text } = await send(messages(`${mails(large)} the end`));
    const spooled = onDisk();
    expect(text).toContain('canary.example');
    const record = await gateway.record(id);
    expect(record.redactions).toMatchObject({ email: Math.floor(large / 33) + 2 });
    expect(record.preview).toMatch(/^write to \[email\] write/);
    expect(record.request.body).toMatchObject({ kept: record.request.body?.size });
    expect(record.response.body?.kept).toBeGreaterThan(50);
    expect(spooled).not.toContain('canary.example');
    expect(onDisk()).not.toContain('canary.example');
  });

  it('of a stream is masked and stored with its chunk times', async () => {
    await start('{max_body: 8MB}');
    const { id } = await send({ ...messages('hi'), stream: true });
    const { response } = await gateway.record(id);
    expect(response.body?.kept).toBeGreaterThan(100_000);
    expect(response.body?.chunks?.[0]).toBe(0);
    const token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
    const { text } = await call(adminUrl(gateway), `/api/requests/${id}/body?part=response`, { token });
    expect(text).toContain('write to [email]');
    expect(text).not.toContain('canary');
  });

  it('that repeats earlier ones is masked like a new one', async () => {
    await start('{max_body: 8MB}');
    const token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
    const turns: object[] = [{ role: 'system', content: 'plain words '.repeat(3000) }];
    for (let turn = 0; turn < 8; turn += 1) {
      // Every third message is larger than what the event loop masks.
      const size = turn % 3 === 2 ? 20_000 : 100;
      turns.push({ role: 'user', content: `turn ${turn}, to jane${turn}@canary.example ${'x '.repeat(size)}` }, assistantMessage);
      const tools = [{ type: 'function', function: { name: 'f', description: 'mail to joe@canary.example', parameters: {} } }];
      const { id } = await send({ messages: turns, tools });
      const { redactions, preview } = await gateway.record(id);
      const { text } = await call(adminUrl(gateway), `/api/requests/${id}/body?part=request`, { token });
      const expected = JSON.stringify({ model: '@p/m', messages: turns, tools }).replaceAll(/\b[\w.]+@canary\.example/g, '[email]');
      expect(text).toBe(expected);
      // Two in the answer.
      expect(redactions).toEqual({ email: expected.split('[email]').length - 1 + 2 });
      expect(preview).toMatch(`turn ${turn}, to [email] x x`);
    }
  });

  it('is stored and masked up to max_body', async () => {
    await start('{max_body: 32KB}');
    const { id } = await send(messages(mails(large)));
    const { request, redactions } = await gateway.record(id);
    expect(request.body?.kept).toBeGreaterThan(8000);
    expect(request.body?.kept).toBeLessThanOrEqual(32 * 1024);
    // Only a part of it was masked.
    expect(redactions['email']).toBeLessThan(4000);
  });

  it('has its config patch masked, and its preview masked with bodies: full', async () => {
    await start('{max_body: 8MB}');
    const patched = await gateway.record((await send(messages('hi'), { 'x-gateway-config': 'patched' })).id);
    expect(patched.upstream.body).toMatchObject({
      same_as: 'request',
      patch: { metadata: { note: expect.stringMatching(/^write to \[email\] write/) } },
    });
    expect(patched.redactions['email']).toBeGreaterThan(large / 33 - 1);
    expect(JSON.stringify(patched)).not.toContain('config.example');
    await gateway.close();
    await start('{max_body: 8MB, bodies: full}');
    const record = await gateway.record((await send(messages(mails(large)))).id);
    expect(record.preview).toMatch(/^write to \[email\] write/);
    expect(record.request.body?.kept).toBe(record.request.body?.size);
  });

  it('is omitted from its record if the gateway stops before it is masked', async () => {
    await start('{max_body: 8MB}');
    const sent = Promise.allSettled(Array.from({ length: 4 }, () => send(messages(mails(large)))));
    while (gateway.records.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await gateway.close();
    await sent;
    expect(gateway.records).toHaveLength(4);
    for (const { request } of gateway.records)
      if (request.body?.kept === 0)
        expect([request.body.size, request.why_absent]).toEqual([expect.any(Number), expect.stringContaining('in time')]);
  });
});
