import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { type Collector, plain, type SeenLog, startCollector } from './collector.ts';

let collector: Collector;
let gateway: TestGateway;

const yaml = (bodies: string, content: boolean): string => `
version: 1
providers: {mock: {type: mock, api_key: canary-of-the-log-export, replies: {broken: {status: 500, error: no}}}}
configs: {worded: {provider: mock, override_params: {user: the-words-of-the-config}}}
logging: {requests: {bodies: ${bodies}}}
observability:
  logs: {otlp: "${collector.url}", content: ${String(content)}}
`;

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startTestGateway(yaml('metadata', true));
});
afterAll(async () => {
  await gateway?.close();
  await collector.close();
});

async function sendChat(model: string, text: string, more: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-metadata': '{"team":"web"}', ...more },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

/** Records are exported but not stored. */
const unstored = (more: string): string => yaml('full', false).replace('{bodies: full}', 'off').replace('content: false', more);

const logOf = (id: string): Promise<SeenLog> =>
  until(() => collector.logs().find((log) => plain(log)['gateway.request_id'] === id), `log ${id}`);

describe('an exported log record', () => {
  it('contains the whole record in the body and searchable values in attributes', async () => {
    const id = await sendChat('@mock/echo', 'hello');
    const log = await logOf(id);
    expect(log).toMatchObject({ severityText: 'INFO', eventName: 'gateway.request' });
    expect(collector.exports[0]?.path).toBe('/v1/logs');
    expect(JSON.parse(log.body.stringValue)).toMatchObject({ id, provider: 'mock', status: 200, metadata: { team: 'web' } });
    expect(plain(log)).toMatchObject({
      'gateway.metadata.team': 'web',
      'gen_ai.operation.name': 'chat',
      'gateway.tokens_in': expect.any(Number) as number,
    });
  });

  it('has severity ERROR for a failed request', async () => {
    const log = await logOf(await sendChat('@mock/broken', 'hello'));
    expect(log.severityText).toBe('ERROR');
    expect(plain(log)['gateway.error_source']).toBe('provider');
  });

  it.each([
    ['metadata', true, undefined, undefined],
    ['none', true, undefined, undefined],
    ['full', false, undefined, undefined],
    ['full', true, 'mail a@example.com', 'mail a@example.com'],
  ])('with bodies %s and content %s contains the messages that the record stores', async (bodies, content, sent, received) => {
    await gateway.write(yaml(bodies, content));
    await gateway.gateway.reload();
    const attributes = plain(await logOf(await sendChat('@mock/echo', 'mail a@example.com')));
    const textOf = (name: string): unknown => {
      const value = attributes[name];
      return value === undefined ? undefined : (JSON.parse(String(value)) as [{ parts: [{ content: string }] }])[0].parts[0].content;
    };
    expect(textOf('gen_ai.input.messages')).toBe(sent);
    expect(textOf('gen_ai.output.messages')).toBe(received);
  });

  it.each([
    ['full', false, false],
    ['full', true, true],
    ['redacted', false, false],
    ['metadata', true, false],
  ])('with bodies %s and content %s contains the text of messages: %s', async (bodies, content, isExported) => {
    await gateway.write(yaml(bodies, content));
    await gateway.gateway.reload();
    const log = await logOf(await sendChat('@mock/echo', 'the-words-of-the-user', { 'x-gateway-config': 'worded' }));
    const text = JSON.stringify(log);
    expect([text.includes('the-words-of-the-user'), text.includes('the-words-of-the-config')]).toEqual([isExported, isExported]);
    const { upstream } = JSON.parse(log.body.stringValue) as LogRecord;
    expect(upstream.body?.same_as).toBe(bodies === 'metadata' ? undefined : 'request');
  });

  it('has redacted messages if the record has redacted bodies', async () => {
    await gateway.write(yaml('redacted', true));
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
    const log = await logOf(await sendChat('@mock/echo', 'mail b@example.com'));
    expect(plain(log)['gen_ai.input.messages']).toContain('mail ');
    expect(JSON.stringify(log)).not.toContain('b@example.com');
  });

  it('contains no secret', () => {
    expect(collector.exports.map(({ text }) => text).join('')).not.toContain('canary-of-the-log-export');
  });
});

describe('with the request log off', () => {
  it.each([
    ['content: false', undefined],
    ['content: true', 'hello to [email]'],
  ])('log records are exported, with messages as set by %s', async (more, expected) => {
    const ownGateway = await startTestGateway(unstored(more));
    try {
      const response = await fetch(`${ownGateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello to a@example.com' }] }),
      });
      await response.text();
      const attributes = plain(await logOf(response.headers.get('x-request-id') ?? ''));
      const sent = attributes['gen_ai.input.messages'];
      expect(sent === undefined ? undefined : (JSON.parse(String(sent)) as [{ parts: [{ content: string }] }])[0].parts[0].content).toBe(
        expected,
      );
      expect(ownGateway.gateway.logs).toBeUndefined();
    } finally {
      await ownGateway.close();
    }
  });
});
