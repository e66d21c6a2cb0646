import { headerNamePattern, headerValuePattern } from '../../core/http/header-text.ts';
import type { JsonSchema } from '../../core/json/schema.ts';
import { duration } from '../../config/schema/shared.ts';

/** Limits that only stop mistakes: far above any real test. */
const limits = { tests: 2000, entries: 64, chunks: 10_000 } as const;

const scalars = { type: ['string', 'number', 'boolean'] } as const;

const headers = {
  type: 'object',
  propertyNames: {
    pattern: `^${headerNamePattern}$`,
    'x-code': 'bad-name',
    'x-form': 'letters, digits, "-" and other characters of HTTP tokens',
  },
  additionalProperties: { ...scalars, pattern: `^${headerValuePattern}$`, 'x-form': 'the value of a header, without line breaks' },
} as const;

/** A final status of a provider. */
const status = { type: 'integer', minimum: 200, maximum: 599 } as const;

const scriptedResponse = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status,
    headers,
    body: {},
    chunks: { type: 'array', maxItems: limits.chunks, items: { type: ['string', 'object'] } },
    delay: duration('Time until the response begins.', ['0ms', '24h']),
    chunk_delay: duration('Time before each chunk.', ['0ms', '24h']),
    end: { enum: ['timeout', 'reset'] },
  },
  // A body is complete, chunks are a stream.
  not: { required: ['body', 'chunks'] },
} as const;

const entryFormat = 'a status, timeout, reset, or a mapping with status, body, chunks, headers and delay';

/** By type, so that an error is reported for what was meant. */
const byType = [
  { if: { type: 'integer' }, then: status },
  { if: { type: 'string' }, then: { enum: ['timeout', 'reset'], 'x-form': entryFormat } },
  { if: { type: 'object' }, then: scriptedResponse },
] as const;

const entry = { type: ['integer', 'string', 'object'], allOf: byType, 'x-form': entryFormat } as const;

const script = {
  type: [...entry.type, 'array'],
  allOf: [...byType, { if: { type: 'array' }, then: { minItems: 1, maxItems: limits.entries, items: entry } }],
  'x-form': `${entryFormat}, or a list of these`,
} as const;

const request = {
  type: 'object',
  additionalProperties: false,
  properties: {
    config: { type: 'string' },
    key: { type: 'string' },
    headers,
    method: { type: 'string', pattern: '^[A-Za-z]+$', 'x-form': 'a method such as GET' },
    path: { type: 'string', pattern: '^/', 'x-form': 'a path such as /v1/chat/completions' },
    stream: { type: 'boolean' },
    random: { type: 'number', minimum: 0, maximum: 0.999999 },
    body: {},
  },
} as const;

const expectation = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  'x-form': 'a mapping with at least one key, such as status',
  properties: {
    status: { type: 'integer', minimum: 100, maximum: 599 },
    'error.code': { type: ['string', 'null'] },
    attempts: {
      type: 'array',
      maxItems: limits.entries,
      items: { type: 'string', pattern: '^\\S+( x[1-9]\\d{0,2})?$', 'x-form': 'a provider, or a provider and a count: openai-main x4' },
    },
    target: { type: ['string', 'null'] },
    sent: { type: 'object' },
    // Empty ones would compare nothing.
    not_sent: { type: 'array', minItems: 1, items: { type: 'string' }, examples: [['metadata']] },
    headers: {
      type: 'object',
      minProperties: 1,
      'x-form': 'a mapping with at least one header, such as x-gateway-provider',
      additionalProperties: { type: [...scalars.type, 'null'] },
    },
    body: { type: ['string', 'object', 'array'], minLength: 1, examples: ['hello'] },
  },
} as const;

/** JSON Schema of a file of tests. */
export const testFileSchema: JsonSchema = {
  type: 'object',
  required: ['tests'],
  additionalProperties: false,
  properties: {
    tests: {
      type: 'array',
      minItems: 1,
      maxItems: limits.tests,
      examples: [[{ name: '…', request: '…', expect: '…' }]],
      items: {
        type: 'object',
        required: ['name', 'expect'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 300, examples: ['falls back when the main provider is busy'] },
          request,
          upstream: { type: 'object', additionalProperties: script },
          expect: { ...expectation, examples: [{ status: 200 }] },
        },
      },
    },
  },
};
