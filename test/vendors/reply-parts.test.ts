import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Models of Mistral that reason respond with lists of parts (https://docs.mistral.ai/studio-api/conversations/reasoning). */

const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
const text = (text: string) => ({ type: 'text', text });
const call = { id: 'a1B2c3D4e', index: 0, function: { name: 'look', arguments: '{}' } };

const message = { role: 'assistant', content: [thinking('Hm, « é »'), text('No'), text('on 🕛')], tool_calls: [call] };
/** Contents of the deltas of the same message. */
const contents = ['', [thinking('Hm, ')], [thinking('« é »'), text('No')], 'on ', [text('🕛')]];

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const shell = { id: 'c1', created: 1, model: 'magistral-medium-latest', cost: 'COST' };
/** More digits than a double holds. */
const written = (value: object): string => JSON.stringify(value).replace('"COST"', '12345678901234567890');

const completion = written({ ...shell, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage });
const chunk = (delta: object, rest: object = {}, finish: string | null = null): string =>
  written({ ...shell, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...rest });
const stream = [
  ...contents.map((content) => chunk({ role: 'assistant', content })),
  chunk({ content: '', tool_calls: [call] }, { usage }, 'tool_calls'),
  '[DONE]',
]
  .map((data) => `data: ${data}\n\n`)
  .join('');

let upstream: ScriptedUpstream;
let gateway: TestGateway;
/** Bytes of one write of the upstream. */
let pieceSize = 10_000;
beforeAll(async () => {
  upstream = await startUpstream(async (response, { body }) => {
    if ((JSON.parse(body.toString()) as { stream?: boolean }).stream !== true) {
      response.setHeader('content-type', 'application/json');
      response.end(completion);
      return;
    }
    const bytes = Buffer.from(stream);
    response.setHeader('content-type', 'text/event-stream');
    for (let at = 0; at < bytes.length; at += pieceSize) {
      response.write(bytes.subarray(at, at + pieceSize));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  gateway = await startTestGateway(`version: 1
providers:
  mistral: {type: mistral, api_key: sk-0123456789abcdef, custom_host: "${upstream.url}/v1"}
configs:
  open: {strict_compliance: false, targets: [{provider: mistral}]}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => void (pieceSize = 10_000));

const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'What time is it?' }];
const request = { model: '@mistral/magistral-medium-latest', messages };
const client = (headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey: 'none', baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: headers });

async function raw(body: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.text();
}

/** For clients that read the thinking from `reasoning_content`. */
const showing = { 'x-gateway-reasoning-content': 'true' };

describe('content that is a list of parts', () => {
  const joined = { role: 'assistant', content: 'Noon 🕛', tool_calls: [call] };
  const thought = 'Hm, « é »';

  it('is one text for strict clients, in a complete response', async () => {
    const response = await client().chat.completions.create(request);
    expect(response.choices[0]?.message).toEqual(joined);
    expect(await raw({ ...request, stream: true })).not.toContain('Hm');
  });

  it.each([10_000, 1, 7, 29])('is text for strict clients, in a stream of pieces of %d bytes', async (size) => {
    pieceSize = size;
    const { data: received, response } = await client(showing)
      .chat.completions.create({ ...request, stream: true })
      .withResponse();
    const deltas: { content?: string | null; reasoning_content?: string }[] = [];
    for await (const { choices, usage: reported } of received) {
      if (reported) expect(reported).toEqual(usage);
      deltas.push(...choices.map(({ delta }) => delta));
    }
    expect(deltas.map(({ content }) => content)).toEqual(['', '', 'No', 'on ', '🕛', '']);
    expect(deltas.map(({ reasoning_content: part }) => part ?? '').join('')).toBe(thought);
    const record = await gateway.record(response.headers.get('x-request-id') ?? '');
    expect([record.end, record.finish, record.usage.prompt, record.usage.completion]).toEqual(['whole', ['tool_calls'], 9, 5]);
  });

  it('has the thinking beside it for clients that read it there', async () => {
    const response = await client(showing).chat.completions.create(request);
    expect(response.choices[0]?.message).toEqual({ ...joined, reasoning_content: thought });
  });

  it('keeps all other members, and numbers of any size', async () => {
    expect(await raw(request)).toContain('"cost":12345678901234567890,');
    const events = (await raw({ ...request, stream: true })).split('\n\n').filter((event) => event.startsWith('data: {'));
    expect(events.filter((event) => !event.includes('"cost":12345678901234567890,'))).toEqual([]);
  });

  it('passes unchanged with strict compliance off', async () => {
    const headers = { 'x-gateway-config': 'open' };
    expect(await raw(request, headers)).toBe(completion);
    expect(await raw({ ...request, stream: true }, headers)).toBe(stream);
  });

  it('can be sent back as it was received', async () => {
    const { choices } = await client(showing).chat.completions.create(request);
    const results = { role: 'tool', tool_call_id: call.id, content: '12:00' } as const;
    await client().chat.completions.create({ ...request, messages: [...messages, ...choices.map(({ message }) => message), results] });
    const { messages: sent } = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '') as { messages: object[] };
    expect(sent[1]).toEqual({ ...joined, tool_calls: [{ ...call, type: 'function' }] });
  });
});
