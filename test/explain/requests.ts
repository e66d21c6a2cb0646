import fc from 'fast-check';

/** A request of a client without its target. */
export interface GeneratedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('hello', 'Wie geht es dir?', '你好 👋', 'a\nb\t"c"', '\u2028'));
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constantFrom('weather', 'look_up'),
    description: text,
    parameters: fc.constant({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
    }),
  }),
});

const userParts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text }),
    fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.constant(pixel) }) }),
  ),
  { minLength: 1, maxLength: 3 },
);

const turns = fc.array(
  fc.oneof(
    fc.record({ role: fc.constant('user'), content: fc.oneof(text, userParts) }),
    fc.record({ role: fc.constant('assistant'), content: text }),
    fc.constant({ role: 'user', content: 'and then?' }),
  ),
  { minLength: 1, maxLength: 5 },
);

const toolTurns = fc.constant([
  { role: 'user', content: 'weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '21' },
]);

const params = fc.record(
  {
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    top_p: fc.constantFrom(0.5, 1),
    max_tokens: fc.integer({ min: 1, max: 5000 }),
    stop: fc.constantFrom('END', ['a', 'b']),
    stream: fc.boolean(),
    user: text,
    metadata: fc.constantFrom({ a: 'b' }, {}),
    labels: fc.constant({ cost: 'c1' }),
    seed: fc.integer(),
    n: fc.constant(1),
    response_format: fc.constantFrom({ type: 'json_object' }, { type: 'text' }),
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    unknown_field: fc.anything({ maxDepth: 2, maxKeys: 3, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }),
  },
  { requiredKeys: [] },
);

const chat = fc
  .tuple(
    fc.constantFrom('gpt-4o-mini', 'gpt-4o', 'claude-sonnet-4-5'),
    fc.option(text, { nil: undefined }),
    fc.oneof(turns, toolTurns),
    params,
  )
  .map(
    ([model, system, messages, more]): GeneratedRequest => ({
      path: '/v1/chat/completions',
      headers: {},
      body: { model, messages: system === undefined ? messages : [{ role: 'system', content: system }, ...messages], ...more },
    }),
  );

const messages = fc.tuple(turns, fc.integer({ min: 1, max: 4000 }), fc.option(text, { nil: undefined }), fc.boolean()).map(
  ([turn, max, system, stream]): GeneratedRequest => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model: 'gpt-4o-mini',
      max_tokens: max,
      stream,
      messages: turn.map((one) => ({ ...one, content: typeof one.content === 'string' ? one.content : 'parts' })),
      ...(system === undefined ? {} : { system }),
    },
  }),
);

const embeddings = fc
  .tuple(fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })), fc.option(fc.constant(256), { nil: undefined }))
  .map(
    ([input, dimensions]): GeneratedRequest => ({
      path: '/v1/embeddings',
      headers: {},
      body: { model: 'gpt-4o-mini', input, ...(dimensions === undefined ? {} : { dimensions }) },
    }),
  );

const prompts = fc.tuple(text, fc.boolean()).map(
  ([question, stream]): GeneratedRequest => ({
    path: '/v1/prompts/welcome/completions',
    headers: {},
    body: { variables: { question }, stream },
  }),
);

const extra = fc.record(
  {
    'x-gateway-metadata': fc.constantFrom('{"plan":"paid"}', '{"plan":"free"}'),
    'x-gateway-strict-compliance': fc.constantFrom('true', 'false'),
    'x-gateway-request-timeout': fc.constant('30000'),
    'x-team': fc.constant('web'),
    'x-gateway-forward-headers': fc.constant('x-team'),
    cookie: fc.constant('session=1'),
  },
  { requiredKeys: [] },
);

/** Requests of every kind that has a JSON body. */
export const requests: fc.Arbitrary<GeneratedRequest> = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: chat }, messages, embeddings, prompts), extra)
  .map(([generated, headers]) => ({
    ...generated,
    headers: {
      ...generated.headers,
      ...(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>),
    },
  }));
