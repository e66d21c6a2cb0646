import { expect } from 'vitest';
import { fixtures } from './provider.ts';
import type { ScenarioOutcome, Scenario, Thrown } from './scenarios.ts';

/** The expected result of a scenario; by library name if a library differs. */
export type Expected = Readonly<{ all: ScenarioOutcome } & Partial<Record<string, ScenarioOutcome>>>;

const value = (of: unknown): ScenarioOutcome => ({ value: of });

/** An exception: always with the request id of the gateway, and without other fields. */
function thrown(parts: Pick<Thrown, 'class' | 'status' | 'code'> & Partial<Thrown>): ScenarioOutcome {
  return {
    thrown: {
      ...parts,
      message: expect.stringContaining(parts.message ?? '') as string,
      request_id: parts.request_id === null ? null : (expect.stringMatching(/^req_[0-9A-Z]{26}$/) as string),
      retry_after: parts.retry_after ?? null,
    },
  };
}

const tool = [fixtures.tool.id, fixtures.tool.name, fixtures.tool.arguments, 'tool_calls'];
const slow = { status: 408, code: 'timeout', message: 'did not respond within 100 ms' } as const;
const broken = {
  class: 'APIError',
  status: null,
  code: 'stream_interrupted',
  message: 'broke in the middle of the response',
} as const;
const noAnswer = { status: null, code: null, message: 'timed out', request_id: null } as const;
/** This library prints the body where its base library prints the message. */
const limited = {
  class: 'RateLimitError',
  status: 429,
  code: 'rate_limit_exceeded',
  message: fixtures.limit.message,
  retry_after: '7',
} as const;
const badRequest = { class: 'BadRequestError', status: 400, code: 'frog_limit' } as const;

export const expectations: Readonly<Record<Scenario, Expected>> = {
  chat: { all: value([fixtures.text, 'stop', 7]) },
  chat_stream: { all: value([fixtures.text, 'stop', 7]) },
  tools: { all: value(tool) },
  tools_stream: { all: value(tool) },
  embeddings: { all: value(fixtures.embedding) },
  image: { all: value(fixtures.image) },
  moderation: { all: value(true) },
  response: { all: value(fixtures.text) },
  response_stream: { all: value([fixtures.text, 'completed']) },
  // The config of the key has one provider without configured models, so the gateway requests its list.
  models: { all: value(['m-one', 'm-two']) },
  provider_models: { all: value(['m-one', 'm-two']) },
  file_create: { all: value('file-1') },
  file_list: { all: value(['file-1']) },
  error: { all: thrown({ ...badRequest, message: fixtures.fault.message }), 'npm portkey-ai': thrown({ ...badRequest, message: 'frogs' }) },
  wrong_key: { all: thrown({ class: 'AuthenticationError', status: 401, code: 'invalid_api_key', message: 'key' }) },
  rate_limit: { all: thrown(limited) },
  all_failed: { all: thrown({ class: 'InternalServerError', status: 503, code: 'all_targets_failed', message: fixtures.down.message }) },
  target_timeout: {
    all: thrown({ ...slow, class: 'APIError' }),
    'PyPI openai': thrown({ ...slow, class: 'APIStatusError' }),
    'PyPI portkey-ai': thrown({ ...slow, class: 'APIStatusError' }),
  },
  broken_stream: {
    all: thrown(broken),
    'PyPI openai': thrown({ ...broken, request_id: null }),
    'PyPI portkey-ai': thrown({ ...broken, request_id: null }),
    'npm portkey-ai': value([fixtures.pieces[0], 'stream_interrupted', expect.stringContaining(broken.message)]),
  },
  abort: { all: value(fixtures.pieces[0]) },
  client_timeout: {
    all: thrown({ ...noAnswer, class: 'APIConnectionTimeoutError' }),
    'PyPI openai': thrown({ ...noAnswer, class: 'APITimeoutError' }),
    'PyPI portkey-ai': thrown({ ...noAnswer, class: 'APITimeoutError' }),
  },
};
