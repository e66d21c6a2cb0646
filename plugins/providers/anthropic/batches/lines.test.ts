import { describe, expect, it } from 'vitest';
import { type LineOptions, toRequests } from './lines.ts';

type Json = Record<string, unknown>;

const messages = [{ role: 'user', content: 'Hi' }];
const line = (members: Json = {}, body: Json = {}): Json => ({
  custom_id: 'r-1',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'claude-m', messages, ...body },
  ...members,
});

const convert = (values: readonly unknown[], options: Partial<LineOptions> = {}) =>
  toRequests(
    values.map((value, index) => ({ number: index + 1, param: `requests[${index}]`, value })),
    { endpoint: '/v1/chat/completions', model: '', maxTokens: undefined, ...options },
  );

/** The params that one line is converted to. */
const paramsOf = (value: unknown, options: Partial<LineOptions> = {}) => convert([value], options).requests[0]?.['params'] as Json;

describe('lines for /v1/chat/completions', () => {
  it('are converted to requests of the Messages API', () => {
    const system = { role: 'system', content: 'Be brief.' };
    expect(convert([line({}, { messages: [system, ...messages], stop: 'x', max_tokens: 5 }), line({ custom_id: 'r_2' })])).toEqual({
      requests: [
        {
          custom_id: 'r-1',
          params: {
            model: 'claude-m',
            max_tokens: 5,
            system: [{ type: 'text', text: 'Be brief.' }],
            messages,
            stop_sequences: ['x'],
          },
        },
        { custom_id: 'r_2', params: expect.objectContaining({ model: 'claude-m', max_tokens: 4096 }) },
      ],
      dropped: [],
      betas: [],
    });
  });

  it.each([
    ['the model without its slug', line({}, { model: '@claude/claude-m' }), {}, { model: 'claude-m' }],
    ['the model of the batch', line({}, { model: undefined }), { model: 'claude-b' }, { model: 'claude-b' }],
    ['max_tokens of the provider settings', line(), { maxTokens: 7 }, { max_tokens: 7 }],
    ['a line without method and url', line({ method: undefined, url: undefined }), {}, { model: 'claude-m' }],
  ])('accept %s', (_, value, options, expected) => {
    expect(paramsOf(value, options)).toMatchObject(expected);
  });

  it('report each dropped parameter once and collect the beta features', () => {
    const { requests, dropped, betas } = convert([
      line({}, { seed: 1, stream: true, anthropic_beta: 'a-1,b-2' }),
      line({ custom_id: 'r-2' }, { seed: 2, vendor_beta: ['b-2'] }),
    ]);
    expect(dropped.map(({ param }) => param)).toEqual(['stream', 'seed']);
    expect(betas).toEqual(['a-1', 'b-2']);
    expect(JSON.stringify(requests)).not.toMatch(/stream|seed|beta/);
  });
});

describe('lines for /v1/messages', () => {
  const native = (body: Json): Json => line({ url: '/v1/messages' }, { max_tokens: 9, ...body });

  it('are sent unchanged', () => {
    const body = { system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }], future_field: { a: 1 } };
    expect(paramsOf(native(body), { endpoint: '/v1/messages' })).toEqual({ model: 'claude-m', messages, max_tokens: 9, ...body });
  });

  it('are sent without slug, stream, labels and beta fields', () => {
    const body = { model: '@claude/claude-m', stream: true, labels: { a: 'b' }, anthropic_beta: ['x-1'], anthropic_version: '2023-06-01' };
    const { requests, betas, dropped } = convert([native(body)], { endpoint: '/v1/messages' });
    expect(requests[0]?.['params']).toEqual({ model: 'claude-m', messages, max_tokens: 9 });
    expect(betas).toEqual(['x-1']);
    expect(dropped.map(({ param }) => param)).toEqual(['stream', 'labels']);
  });
});

describe('lines that cannot be converted', () => {
  const longId = 'a'.repeat(65);
  it.each([
    ['not an object', ['x'], 'invalid_type', 'requests[0]', /^The batch cannot be sent: line 1: it is not a JSON object\.$/],
    [
      'no custom_id',
      [line({ custom_id: undefined })],
      'missing_required_parameter',
      'requests[0].custom_id',
      /line 1: custom_id is missing/,
    ],
    [
      'a tool name that the API rejects',
      [line(), line({ custom_id: 'r-2' }, { tools: [{ type: 'function', function: { name: 'get weather' } }] })],
      'unsupported_parameter',
      'requests[1].body.tools',
      /line 2: the service does not accept the tool name "get weather"\.$/,
    ],
    [
      'a custom_id with a space',
      [line(), line({ custom_id: 'r 2' })],
      'invalid_value',
      'requests[1].custom_id',
      /line 2: .* letters, digits/,
    ],
    ['an empty custom_id', [line({ custom_id: '' })], 'invalid_value', 'requests[0].custom_id', /line 1/],
    ['a long custom_id', [line({ custom_id: longId })], 'invalid_value', 'requests[0].custom_id', /1 to 64/],
    [
      'a duplicate custom_id',
      [line(), line({ custom_id: 'x' }), line()],
      'invalid_value',
      'requests[2].custom_id',
      /line 3: line 1 has the same/,
    ],
    ['another method', [line({ method: 'GET' })], 'invalid_value', 'requests[0].method', /method must be POST/],
    ['another url', [line({ url: '/v1/embeddings' })], 'invalid_value', 'requests[0].url', /\/v1\/chat\/completions/],
    ['no body', [line({ body: [] })], 'invalid_type', 'requests[0].body', /body must be a JSON object/],
    ['no model', [line({}, { model: '' })], 'missing_required_parameter', 'requests[0].body.model', /names no model/],
    ['only a slug as model', [line({}, { model: '@claude' })], 'missing_required_parameter', 'requests[0].body.model', /names no model/],
    ['more than one choice', [line({}, { n: 2 })], 'unsupported_parameter', 'requests[0].n', /line 1: .* one choice/],
    [
      'a file that must be downloaded',
      [line({}, { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://h.example/a.png' } }] }] })],
      'unsupported_parameter',
      'requests[0].body.messages',
      /downloaded/,
    ],
  ])('throw an error that names line and parameter: %s', (_, values, code, param, message) => {
    expect(() => convert(values)).toThrow(
      expect.objectContaining({ code, param, status: 400, message: expect.stringMatching(message) as string }),
    );
  });

  it('are all listed in the error, up to a limit', () => {
    const invalidLines = Array.from({ length: 8 }, (_, index) => line({ custom_id: `no way ${index}` }));
    expect(() => convert([line(), ...invalidLines])).toThrow(/line 2: .*; line 3: .*; line 6: [^;]*; and 3 more\.$/);
  });

  it('throw an error if there are no lines', () => {
    expect(() => convert([])).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'requests' }));
  });
});
