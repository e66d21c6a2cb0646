import { describe, expect, it } from 'vitest';
import { resultLines } from './results.ts';

const call = { id: 'req_1', createdAt: 7, model: '', strict: true };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-m',
  content: [{ type: 'text', text: 'Paris ü' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const line = (result: unknown): string => JSON.stringify({ custom_id: 'r-1', result });
const convertLine = (text: string, endpoint: '/v1/chat/completions' | '/v1/messages' = '/v1/chat/completions') => {
  const converted = resultLines({ endpoint, call })(text, 0);
  return converted === undefined ? undefined : (JSON.parse(converted) as unknown);
};
const failed = (code: string) => ({ response: null, error: { code, message: expect.any(String) as string } });

describe('result lines of a message batch', () => {
  it('are converted to chat completions', () => {
    expect(convertLine(line({ type: 'succeeded', message }))).toEqual({
      id: 'batch_req_r-1',
      custom_id: 'r-1',
      response: {
        status_code: 200,
        request_id: 'msg_1',
        body: {
          id: 'msg_1',
          object: 'chat.completion',
          created: 7,
          model: 'claude-m',
          choices: [{ index: 0, message: { role: 'assistant', content: 'Paris ü', refusal: null }, logprobs: null, finish_reason: 'stop' }],
          usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }) as object,
        },
      },
      error: null,
    });
  });

  it('contain messages for the endpoint /v1/messages', () => {
    expect(convertLine(line({ type: 'succeeded', message }), '/v1/messages')).toMatchObject({
      response: { status_code: 200, body: message },
    });
  });

  it.each([
    ['invalid_request_error', 400],
    ['rate_limit_error', 429],
    ['overloaded_error', 529],
    ['a_new_one', 502],
  ])('contain response and error for a failed request: %s', (type, status) => {
    const error = { type: 'error', error: { type, message: 'No.' }, request_id: 'req_up' };
    expect(convertLine(line({ type: 'errored', error }))).toEqual({
      id: 'batch_req_r-1',
      custom_id: 'r-1',
      response: { status_code: status, request_id: 'req_up', body: { error: { message: 'No.', type, param: null, code: null } } },
      error: { code: type, message: 'No.' },
    });
  });

  it.each([
    [{ type: 'canceled' }, failed('batch_cancelled')],
    [{ type: 'expired' }, failed('batch_expired')],
    [{ type: 'postponed' }, failed('unknown')],
    [{ type: 'succeeded' }, failed('upstream_invalid')],
    [{ type: 'succeeded', message: { content: 'x' } }, failed('upstream_invalid')],
    [{ type: 'errored' }, { response: { status_code: 500 }, error: { code: 'api_error' } }],
    [
      { type: 'errored', error: { type: 'not_found_error', message: 'flat' } },
      { response: { status_code: 404 }, error: { message: 'flat' } },
    ],
  ])('are converted: %j', (result, expected) => {
    expect(convertLine(line(result))).toMatchObject(expected);
  });

  it.each(['not json', '[1]', '{"custom_id":"x"}'])('remain unchanged if they are not results: %j', (text) => {
    expect(resultLines({ endpoint: '/v1/chat/completions', call })(text, 0)).toBe(text);
  });

  it('omit empty lines and keep the digits of long numbers', () => {
    expect(convertLine(' ')).toBeUndefined();
    const toolUseLine = `{"custom_id":"r","result":{"type":"succeeded","message":{"content":[{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}}]}}}`;
    expect(JSON.stringify(convertLine(toolUseLine))).toContain('12345678901234567890');
  });
});
