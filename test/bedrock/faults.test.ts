import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type Script, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { chunk, event, eventStream, exception, textFrames } from './frames.ts';

/** Errors in frames and around them: before content a fallback applies, after content the client gets an error event. */

let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 500, {}));
  other = await startUpstream((response) => json(response, 200, completion('from the other')));
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      providers: {
        aws: { type: 'bedrock', api_key: 'k-0123456789', custom_host: upstream.url },
        other: { type: 'openai', api_key: 'k-0123456789', custom_host: `${other.url}/v1` },
      },
      configs: {
        chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'aws' }, { provider: 'other', override_params: { model: 'm' } }] },
      },
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([upstream?.close(), other?.close()]);
});

const stream =
  (...frames: readonly Buffer[]): Script =>
  (response) =>
    eventStream(response, frames);

async function send(
  script: Script,
  overrides: object = {},
  headers: Record<string, string> = { 'x-gateway-provider': '@aws' },
  route = 'chat/completions',
) {
  upstream.script = script;
  const response = await fetch(`${gateway.url}/v1/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'anthropic.claude-x',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 9,
      stream: true,
      ...overrides,
    }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const exceptions: readonly (readonly [name: string, status: number])[] = [
  ['throttlingException', 429],
  ['validationException', 400],
  ['serviceUnavailableException', 503],
  ['internalServerException', 500],
  ['modelStreamErrorException', 424],
  ['modelTimeoutException', 408],
];

describe('an exception in a stream', () => {
  it.each(exceptions)('causes an error response before content: %s', async (name, status) => {
    const response = await send(stream(event('messageStart', { role: 'assistant' }), exception(name, 'Too bad.')));
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toMatchObject({ error: { message: expect.stringContaining('Too bad.') as string } });
  });

  it('makes a fallback use the next target before content', async () => {
    const response = await send(stream(exception('throttlingException', 'Slow down.')), { stream: false }, { 'x-gateway-config': 'chain' });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining('from the other')]);
  });

  it('is the last event after content', async () => {
    const { status, text } = await send(stream(...textFrames('Hel').slice(0, 2), exception('throttlingException', 'Slow down.')));
    expect(status).toBe(200);
    expect(text).toContain('"content":"Hel"');
    expect(text).toContain('Slow down.');
    expect(text).not.toContain('[DONE]');
  });

  it('is converted to an error of the Messages API', async () => {
    const begin = chunk({
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1 } },
    });
    const block = chunk({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const delta = chunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } });
    const { text } = await send(stream(begin, block, delta, exception('throttlingException', 'Slow down.')), {}, undefined, 'messages');
    expect(text.endsWith('event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}\n\n')).toBe(true);
    const early = await send(stream(begin, exception('throttlingException', 'Slow down.')), {}, undefined, 'messages');
    expect([early.status, JSON.parse(early.text)]).toEqual([429, expect.objectContaining({ type: 'error' })]);
  });
});

describe('a broken stream', () => {
  const corrupt = (frames: readonly Buffer[], at: number): Buffer[] =>
    frames.map((one, index) => {
      const copy = Buffer.from(one);
      if (index === at) copy[copy.length - 6] = 0x20;
      return copy;
    });

  it('causes a 502 for a wrong checksum before content', async () => {
    const response = await send(stream(...corrupt(textFrames('Hello'), 0)));
    expect([response.status, response.text]).toEqual([502, expect.stringContaining('broken frame in its stream: its checksum is wrong')]);
  });

  it('ends with an error for a wrong checksum after content', async () => {
    const { text } = await send(stream(...corrupt(textFrames('Hel', 'lo'), 2)));
    expect(text).toContain('"content":"Hel"');
    expect(text).toContain('its checksum is wrong');
    expect(text).not.toContain('lo"');
  });

  it.each([3, 5])('that ends within frame %i is interrupted unless only the token counts are missing', async (at) => {
    const frames = textFrames('Hel', 'lo');
    const { text } = await send(stream(...frames.slice(0, at), (frames[at] as Buffer).subarray(0, 20)));
    if (at === 3) expect(text).toContain('stream_interrupted');
    // Only the token counts are missing in this case.
    else expect(text).toContain('[DONE]');
  });
});

describe('an error response of Bedrock', () => {
  it.each([
    [400, { message: 'The provided model identifier is invalid.' }, 'invalid_request_error', 'ValidationException'],
    [
      403,
      { __type: 'com.amazon.coral.service#UnrecognizedClientException', message: 'The security token included in the request is invalid.' },
      'authentication_error',
      'UnrecognizedClientException',
    ],
    [404, { message: 'Model not found.' }, 'invalid_request_error', 'model_not_found'],
    [429, { message: 'Too many requests.' }, 'rate_limit_error', 'ThrottlingException'],
    [503, { Message: 'Bedrock is unable to process your request.' }, 'api_error', 'ServiceUnavailableException'],
  ])('with status %i keeps its message', async (status, body, type, code) => {
    const response = await send((response) => json(response, status, body), { stream: false });
    const { error } = JSON.parse(response.text) as { error: { message: string; type: string; code: string } };
    expect(error.message).toContain(Object.values(body).at(-1));
    // For a rejected key of the operator the client gets another error.
    if (status !== 403) expect([response.status, error.type, error.code]).toEqual([status, type, code]);
  });

  it('is classified by its header x-amzn-errortype', async () => {
    const quota = { 'x-amzn-errortype': 'ServiceQuotaExceededException:http://internal.amazon.com/coral/' };
    const response = await send((response) => json(response, 400, { message: 'Your account has too many.' }, quota), { stream: false });
    expect(JSON.parse(response.text)).toMatchObject({ error: { type: 'rate_limit_error', code: 'ServiceQuotaExceededException' } });
  });

  it('with status 200 is returned as an error of the Messages API', async () => {
    const script: Script = (response) => json(response, 200, { __type: 'ThrottlingException', message: 'Slow down.' });
    const response = await send(script, { stream: false }, undefined, 'messages');
    expect([response.status, JSON.parse(response.text)]).toMatchObject([429, { type: 'error', error: { message: 'Slow down.' } }]);
  });
});
