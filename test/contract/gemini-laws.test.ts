import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GeminiOptions } from '../../src/formats/google-generate/request/conversion.ts';
import { toGenerateContent } from '../../src/formats/google-generate/request/index.ts';
import { fromGenerateContent } from '../../src/formats/google-generate/response/result.ts';
import { toServedSchema } from '../../src/formats/google-generate/schema/index.ts';
import { GenerateContentStream } from '../../src/formats/google-generate/response/stream.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { readChatStream } from '../support/chat-chunk.ts';
import { callOf } from './call.ts';
import { requestSchema, schemaNode } from './gemini-request-schema.ts';

type Json = Record<string, unknown>;
type Part = Json & { text?: string; functionCall?: { name: string }; functionResponse?: { name: string }; thoughtSignature?: string };

const options: GeminiOptions = { surface: 'vertex', schemas: 'converted', signatureStandIn: true };
const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(schemaNode);
const isValid = ajv.compile(requestSchema);
const isServedSchema = ajv.compile({ $ref: 'schema-node' });

// ---- requests of clients ----------------------------------------------------------------------------

const shortText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const functionName = fc.constantFrom('f', 'g', 'get_weather');
const edgeCaseKey = fc.constantFrom(
  '$ref',
  'format',
  'default',
  'additionalProperties',
  'title',
  'type',
  'properties',
  'required',
  'enum',
  'anyOf',
  'constructor',
);

const { schema } = fc.letrec<{ schema: unknown; node: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.boolean(),
    tie('node'),
    fc.constantFrom({}, { $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }, { $ref: '#' }, { $ref: '#/$defs/gone' }),
  ),
  node: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      {
        type: fc.constantFrom('string', 'STRING', 'number', 'integer', 'boolean', 'null'),
        description: shortText,
        default: fc.jsonValue(),
        format: fc.constantFrom('date-time', 'email', 'int64'),
        minLength: fc.nat(),
        exclusiveMinimum: fc.integer(),
        const: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        enum: fc.array(fc.oneof(shortText, fc.constant(''), fc.constant(null), fc.integer()), { maxLength: 4 }),
        type: fc.constantFrom('string', ['string', 'null']),
      },
      { requiredKeys: ['enum'] },
    ),
    fc.record({
      type: fc.uniqueArray(fc.constantFrom('string', 'null', 'integer', 'object', 'array'), { minLength: 1, maxLength: 3 }),
      title: shortText,
    }),
    fc.record(
      { type: fc.constant('array'), items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })), uniqueItems: fc.boolean() },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.oneof(edgeCaseKey, shortText), tie('schema'), { maxKeys: 4 }),
        required: fc.array(fc.oneof(edgeCaseKey, shortText), { maxLength: 3 }),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record(
      {
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        description: shortText,
        default: fc.jsonValue(),
        type: fc.constantFrom('string', 'object'),
      },
      { requiredKeys: ['anyOf'] },
    ),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }), not: tie('schema') }),
  ),
}));

const rootSchema = fc
  .record({ properties: fc.dictionary(fc.oneof(edgeCaseKey, shortText), schema, { maxKeys: 4 }), a: schema, b: schema })
  .map(
    ({ properties, a, b }): Json => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      $schema: 'x',
      additionalProperties: false,
      $defs: { A: a, B: b },
    }),
  );

const base64 = fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const contentPart = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => ({ type: 'text', text })),
  base64.map((data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } })),
  base64.map((data) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } })),
  fc.constantFrom(
    { type: 'image_url', image_url: { url: 'gs://b/a.pdf' } },
    { type: 'image_url', image_url: { url: 'https://h.example/a.mp4?x=.y', detail: 'auto' } },
  ),
);
const content = fc.oneof(fc.string({ maxLength: 10 }), fc.array(contentPart, { maxLength: 3 }));
const responsePart = fc.oneof(
  content.map((one) => [{ role: 'user', content: one }]),
  fc.string({ maxLength: 10 }).map((text) => [{ role: 'system', content: text }]),
  fc.string({ maxLength: 10 }).map((text) => [{ role: 'assistant', content: text }]),
  fc.string({ maxLength: 10 }).map((text) => [{ role: 'developer', content: [{ type: 'text', text }] }]),
);

const made = fc.record({
  name: functionName,
  args: fc.dictionary(shortText, fc.jsonValue(), { maxKeys: 2 }),
  signature: fc.option(base64),
  text: fc.string({ maxLength: 5 }),
});
/** A turn with its calls and their results in any order. */
const stepped = fc.array(made, { minLength: 1, maxLength: 4 }).chain((calls) =>
  fc
    .shuffledSubarray(
      calls.map((_, index) => index),
      { minLength: calls.length },
    )
    .map((order) => [
      {
        role: 'assistant',
        content: calls[0]?.text ?? null,
        tool_calls: calls.map(({ name, args, signature }, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args), ...(signature === null ? {} : { thought_signature: signature }) },
        })),
      },
      ...order.map((index) => ({ role: 'tool', tool_call_id: `call_${index}`, content: calls[index]?.text ?? '' })),
    ]),
);

const chat = fc.record(
  {
    messages: fc.array(fc.oneof(responsePart, stepped), { maxLength: 6 }).map((list) => list.flat()),
    tools: fc.array(
      fc.record({
        type: fc.constant('function'),
        function: fc.record(
          { name: functionName, description: shortText, strict: fc.boolean(), parameters: rootSchema },
          { requiredKeys: ['name'] },
        ),
      }),
      { maxLength: 3 },
    ),
    tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'function', function: { name: 'f' } }),
    response_format: fc.oneof(
      fc.constant({ type: 'json_object' }),
      rootSchema.map((one) => ({ type: 'json_schema', json_schema: { name: 'n', schema: one } })),
    ),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    max_tokens: fc.nat(),
    stop: fc.oneof(shortText, fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }), fc.constant(null)),
    n: fc.integer({ min: 1, max: 8 }),
    seed: fc.integer(),
    presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
    modalities: fc.constantFrom(['text'], ['text', 'image'], []),
    reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'odd'),
    thinking: fc.record(
      { type: fc.constantFrom('enabled', 'disabled'), budget_tokens: fc.integer({ min: 0, max: 9000 }) },
      { requiredKeys: ['type'] },
    ),
    labels: fc.dictionary(shortText, shortText, { maxKeys: 2 }),
    user: shortText,
    odd_field: fc.jsonValue(),
  },
  { requiredKeys: ['messages'] },
);
const model = fc.constantFrom(
  'gemini-1.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-pro',
  'gemini-3-pro-preview',
  'gemini-3.5-flash',
  'gemini-flash-latest',
);

describe('any chat', () => {
  it('becomes a request that is valid for the Gemini API', () => {
    fc.assert(
      fc.property(chat, model, (body, name) => {
        const { body: out } = toGenerateContent(body as Json, { model: name, media: new Map(), strict: false }, options);
        const sent = JSON.parse(JSON.stringify(out)) as { contents: { role: string; parts: Part[] }[] };
        expect(isValid(sent) ? [] : isValid.errors?.slice(0, 3)).toEqual([]);
        expectTurns(sent.contents, /gemini-(?:3|flash-latest)/.test(name));
      }),
      { numRuns: 1500 },
    );
  });

  it('reports every field that is dropped', () => {
    fc.assert(
      fc.property(chat, (body) => {
        const { dropped } = toGenerateContent(body as Json, { model: 'gemini-3-flash', media: new Map(), strict: false }, options);
        const names = dropped.map(({ param }) => param);
        for (const key of ['user', 'odd_field', 'presence_penalty'] as const)
          expect(names.includes(key)).toBe(body[key] !== undefined && body[key] !== null);
      }),
    );
  });
});

/** A user message is first, roles alternate, each call has a result, and the first call is signed if required. */
function expectTurns(contents: readonly { role: string; parts: Part[] }[], signs: boolean): void {
  for (const [index, { role, parts }] of contents.entries()) {
    expect(role).toBe(index % 2 === 0 ? 'user' : 'model');
    const calls = parts.filter((part) => part.functionCall !== undefined);
    if (calls.length === 0) continue;
    if (signs) expect(calls[0]?.thoughtSignature).toBeDefined();
    const next = contents[index + 1]?.parts ?? [];
    expect(next.slice(0, calls.length).map((part) => part.functionResponse?.name)).toEqual(calls.map((part) => part.functionCall?.name));
    expect(next.slice(calls.length).some((part) => part.functionResponse !== undefined)).toBe(false);
  }
}

describe('any schema', () => {
  it('becomes a supported schema with all properties, and the original is not modified', () => {
    fc.assert(
      fc.property(rootSchema, (root) => {
        const before = JSON.stringify(root);
        const served = toServedSchema(root, () => undefined) ?? {};
        expect(isServedSchema(served) ? [] : isServedSchema.errors?.slice(0, 3)).toEqual([]);
        const remaining = Object.entries(root['properties'] as Json).filter(([, value]) => value !== false);
        expect(Object.keys((served['properties'] ?? {}) as Json).sort()).toEqual(remaining.map(([name]) => name).sort());
        expect(JSON.stringify(root)).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });

  it('is converted in bounded size if it refers to itself or is nested deeply', () => {
    const names = Array.from({ length: 12 }, (_, index) => `D${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const served = toServedSchema(
      {
        $ref: '#/$defs/D0',
        $defs: Object.fromEntries(names.map((name) => [name, { type: 'object', properties }])),
      },
      () => undefined,
    );
    expect(JSON.stringify(served).length).toBeLessThan(1_000_000);
    let deep: Json = { type: 'string' };
    for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'array', items: deep };
    expect(toServedSchema(deep, () => undefined)).toMatchObject({ type: 'array' });
  });
});

// ---- round trips ------------------------------------------------------------------------------------

const signed = { thoughtSignature: base64 };
const answerPart = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 6 }), ...signed }, { requiredKeys: ['text'] }),
  fc.record({ text: shortText, thought: fc.constant(true) }),
  fc.record({ inlineData: fc.record({ mimeType: fc.constant('image/png'), data: base64 }), ...signed }, { requiredKeys: ['inlineData'] }),
  fc.record(
    {
      functionCall: fc.record({
        name: functionName,
        args: fc.dictionary(shortText, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 2 }),
      }),
      ...signed,
    },
    { requiredKeys: ['functionCall'] },
  ),
);
const responseParts = fc.array(answerPart, { minLength: 1, maxLength: 8 }) as fc.Arbitrary<Part[]>;

describe('a response that is sent back in the next turn', () => {
  it('keeps every part and its signature without streaming', () => {
    fc.assert(
      fc.property(responseParts, (parts) => {
        const response = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
        const result = fromGenerateContent(JSON.stringify(response), callOf({ strict: false })) as { choices: { message: Json }[] };
        expect(merged(partsOfHistory(result.choices[0]?.message ?? {}))).toEqual(merged(expected(parts)));
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps every part and its signature with streaming, however the parts are split', () => {
    fc.assert(
      fc.property(responseParts, fc.infiniteStream(fc.boolean()), (parts, breaks) => {
        const frames: Part[][] = [[]];
        for (const part of parts) {
          if (breaks.next().value === true) frames.push([]);
          frames.at(-1)?.push(part);
        }
        expect(merged(partsOfHistory(streamedMessage(frames)))).toEqual(merged(expected(parts)));
      }),
      { numRuns: 1000 },
    );
  });
});

/** All parts except thoughts, in order. */
function expected(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => part['thought'] !== true && (part.text !== '' || part.thoughtSignature !== undefined));
}

/** Merges consecutive unsigned texts. */
function merged(parts: readonly Part[]): readonly Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    const joins =
      part.text !== undefined && last?.text !== undefined && part.thoughtSignature === undefined && last.thoughtSignature === undefined;
    if (joins) out[out.length - 1] = { text: `${last.text}${part.text}` };
    else out.push(part);
  }
  return out;
}

function partsOfHistory(message: Json): readonly Part[] {
  const results = ((message['tool_calls'] ?? []) as { id: string }[]).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'r' }));
  const messages = [{ role: 'user', content: 'q' }, message, ...results, { role: 'user', content: 'next' }];
  const { body } = toGenerateContent({ messages }, { model: 'gemini-2.5-flash', media: new Map(), strict: false }, options);
  const contents = body['contents'] as { role: string; parts: Part[] }[];
  return contents.filter(({ role }) => role === 'model').flatMap(({ parts }) => parts);
}

/** Assembles the chunks like clients: blocks and calls by index. */
function streamedMessage(frames: readonly (readonly Part[])[]): Json {
  const read = new GenerateContentStream(callOf({ strict: false, stream: true }));
  const write = openaiDialect.write?.({ strict: false, includeUsage: false, provider: 'p', model: 'm', id: 'req_1', createdAt: 1 });
  const pieces: string[] = [];
  const take = (events: ReturnType<GenerateContentStream['push']>): void => {
    for (const event of events) pieces.push(...(write?.push(event) ?? []));
  };
  for (const parts of frames) take(read.push({ name: '', data: JSON.stringify({ candidates: [{ content: { parts } }] }) }));
  take(read.push({ name: '', data: '{"candidates":[{"finishReason":"STOP"}]}' }));
  take(read.end());
  pieces.push(...(write?.end() ?? []));
  const { chunks, problems } = readChatStream(pieces.join(''), false);
  expect(problems).toEqual([]);
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta as unknown as Json));
  const blocks: Json[] = [];
  const calls: Json[] = [];
  for (const delta of deltas) {
    for (const { index, delta: block } of (delta['content_blocks'] ?? []) as { index: number; delta: Json }[])
      blocks[index] = joined(blocks[index] ?? {}, block);
    for (const call of (delta['tool_calls'] ?? []) as { index: number }[]) calls[call.index] = call;
  }
  return {
    role: 'assistant',
    content: deltas.map((delta) => delta['content'] ?? '').join(''),
    content_blocks: blocks.map(typed),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function joined(block: Json, delta: Json): Json {
  const out: Json = { ...block, ...delta };
  for (const key of ['text', 'thinking']) if (typeof delta[key] === 'string') out[key] = `${String(block[key] ?? '')}${delta[key]}`;
  return out;
}

const typed = (block: Json): Json => ({ type: block['thinking'] === undefined ? 'text' : 'thinking', ...block });
