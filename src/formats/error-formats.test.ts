import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCatalogue, GatewayError } from '../core/error.ts';
import { parseJson } from '../core/json/scan.ts';
import type { JsonObject } from '../core/json/merge.ts';
import { dialects } from './index.ts';

const { openai, messages, responses } = dialects;
const wrapped = (error: unknown): JsonObject => ({ error });

describe('isError of a dialect', () => {
  it.each([
    [openai, wrapped({ message: 'm' }), true],
    [openai, wrapped({ message: 'm', type: null, code: 'DeploymentNotFound', status: 404 }), true],
    [openai, wrapped({ message: 'm', type: 'x', code: 400, status: 'failed' }), true],
    [openai, wrapped({ message: 'm', code: 429, status: 'RESOURCE_EXHAUSTED' }), false],
    [openai, wrapped('text'), false],
    [openai, wrapped({ code: 'x' }), false],
    [openai, { message: 'flat' }, false],
    [messages, { type: 'error', ...wrapped({ type: 'api_error', message: 'm' }) }, true],
    [messages, wrapped({ type: 'api_error', message: 'm' }), false],
    [messages, { type: 'error', ...wrapped({ message: 'm' }) }, false],
    [messages, wrapped({ message: 'm', status: 'UNAVAILABLE' }), false],
  ] as const)('recognizes an error object that can be forwarded unchanged: %#', (dialect, value, isForwarded) => {
    expect(dialect.isError(value as JsonObject)).toBe(isForwarded);
  });

  it.each(Object.keys(errorCatalogue) as ErrorCode[])('recognizes the error bodies and events that the dialect writes: %s', (code) => {
    const error = new GatewayError(code, { message: 'm' });
    for (const dialect of [openai, messages, responses]) {
      const facts = { requestId: 'req_1' };
      expect(dialect.isError(parseJson(dialect.errorBody(error, facts).toString('utf8')) as JsonObject)).toBe(true);
      const event = dialect.errorEvent(error, facts).toString('utf8');
      expect(dialect.isError(parseJson(event.slice(event.indexOf('{'))) as JsonObject)).toBe(true);
    }
  });
});

it("the error event of a Responses stream has the event's fields and the error object that SDKs read", () => {
  const fault = { message: 'm', code: 'rate_limit_exceeded', type: 'tokens', param: 'input' };
  const error = new GatewayError('provider_error', { message: 'm', status: 429, source: 'provider', provider: fault });
  const event = responses.errorEvent(error, { requestId: 'req_1', eventCount: 7 }).toString('utf8');
  expect(event).toMatch(/^event: error\ndata: \{.*\}\n\n$/);
  expect(parseJson(event.slice(event.indexOf('{')))).toMatchObject({ ...fault, type: 'error', sequence_number: 7, error: fault });
});

describe('the error type of the messages API', () => {
  it.each([
    ['overloaded_error', 529, 'overloaded_error'],
    ['new_error', 502, 'new_error'],
    ['invalid_request_error', 404, 'not_found_error'],
    ['invalid_request_error', 400, 'invalid_request_error'],
    ['api_error', 503, 'overloaded_error'],
    ['server_error', 500, 'api_error'],
    ['RESOURCE_EXHAUSTED', 429, 'rate_limit_error'],
    [null, 413, 'request_too_large'],
  ])("for the provider's type %s with status %i is %s", (type, status, expected) => {
    const error = new GatewayError('provider_error', { message: 'm', status, source: 'provider', provider: { message: 'm', type } });
    const body = parseJson(messages.errorBody(error, { requestId: 'req_1' }).toString('utf8')) as { error: { type: string } };
    expect(body.error.type).toBe(expected);
  });
});
