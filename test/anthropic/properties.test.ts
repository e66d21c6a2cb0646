import { JsonBody } from '../../src/core/json/body.ts';
import { GatewayError } from '../../src/core/error.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { begin, callOf } from '../contract/call.ts';
import { refusals } from './messages-schema.ts';

type Json = Record<string, unknown>;

function sent(body: Json, model: string): { body: Json; dropped: readonly string[] } {
  const request = begin(anthropic, callOf({ model, stream: body['stream'] === true }), JsonBody.of(body)).request;
  if (request?.body.kind !== 'json') throw new Error('no body');
  return { body: request.body.json(), dropped: request.dropped.map(({ param }) => param) };
}

// ---- conversations in the OpenAI format --------------------------------------------------------------

const anyText = fc.oneof(fc.string(), fc.constantFrom('', ' ', '\n', 'Hello', 'Grüße 🎉', ' trailing '));
const id = fc.oneof(fc.constantFrom('call_1', 'call_2', 'toolu_01', '', 'a:b/c', 'a.b'), fc.string({ maxLength: 8 }));
const toolName = fc.constantFrom('weather', 'search', 'f-1');
const cacheMark = fc.constantFrom(undefined, { type: 'ephemeral' });
const textPart = fc.record({ type: fc.constant('text'), text: anyText, cache_control: cacheMark }).map(clean);
const filePart = fc.constantFrom<Json>(
  { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  { type: 'image_url', image_url: { url: 'https://h.example/a.jpg?x=1', detail: 'low' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
  { type: 'file', file: { file_data: 'data:text/plain,hi' } },
  { type: 'file', file: { file_id: 'file-1' } },
);
const userMessage = fc
  .record({
    role: fc.constant('user'),
    content: fc.oneof(anyText, fc.array(fc.oneof(textPart, filePart), { maxLength: 3 })),
    name: fc.constantFrom(undefined, 'ada'),
  })
  .map(clean);
const systemMessage = fc.record({
  role: fc.constantFrom('system', 'developer'),
  content: fc.oneof(anyText, fc.array(textPart, { maxLength: 2 })),
});
const toolCall = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: toolName, arguments: fc.oneof(fc.json(), fc.constantFrom('', '{}', '{"a":', '{"n":12345678901234567890}')) }),
});
const block = fc.oneof<fc.Arbitrary<Json>[]>(
  fc.record({ type: fc.constant('thinking'), thinking: anyText, signature: fc.constantFrom('c2ln', '', 'EqoB+/==') }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.constantFrom('ZGF0YQ==', 'eA') }),
  textPart,
);
const assistantMessage = fc
  .record({
    role: fc.constant('assistant'),
    content: fc.oneof(
      anyText,
      fc.constant(null),
      fc.array(fc.oneof(textPart, fc.record({ type: fc.constant('refusal'), refusal: anyText })), { maxLength: 2 }),
    ),
    content_blocks: fc.option(fc.array(block, { maxLength: 3 }), { nil: undefined }),
    tool_calls: fc.option(fc.array(toolCall, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    refusal: fc.constantFrom(undefined, null, 'No.'),
  })
  .map(clean);
const toolMessage = fc.record({
  role: fc.constant('tool'),
  tool_call_id: id,
  content: fc.oneof(anyText, fc.array(fc.oneof(textPart, filePart), { maxLength: 2 })),
});
const messages = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: userMessage },
    systemMessage,
    { weight: 3, arbitrary: assistantMessage },
    { weight: 3, arbitrary: toolMessage },
  ),
  { maxLength: 9 },
);

const tool = fc.record({
  type: fc.constant('function'),
  function: fc
    .record({
      name: toolName,
      description: fc.option(anyText, { nil: undefined }),
      strict: fc.constantFrom(undefined, true, false),
      parameters: fc.constantFrom(undefined, {}, { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: {} } }),
    })
    .map(clean),
});
const choice = fc.constantFrom(
  undefined,
  null,
  'auto',
  'none',
  'required',
  { type: 'function', function: { name: 'weather' } },
  { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'search' } }] } },
);
const request = fc
  .record({
    messages,
    tools: fc.option(fc.array(tool, { maxLength: 3 }), { nil: undefined }),
    tool_choice: choice,
    parallel_tool_calls: fc.constantFrom(undefined, true, false),
    max_tokens: fc.constantFrom(undefined, 1, 100, 5000),
    max_completion_tokens: fc.constantFrom(undefined, null, 2500),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
    top_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    stop: fc.constantFrom(undefined, null, 'END', ' ', ['a', '\n'], []),
    user: fc.constantFrom(undefined, 'u-1'),
    metadata: fc.constantFrom(undefined, { team: 'web' }),
    reasoning_effort: fc.constantFrom(undefined, 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
    response_format: fc.constantFrom(
      undefined,
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    ),
    service_tier: fc.constantFrom(undefined, 'auto', 'default', 'flex'),
    stream: fc.constantFrom(undefined, true, false),
    stream_options: fc.constantFrom(undefined, { include_usage: true }),
    seed: fc.constantFrom(undefined, 7),
    n: fc.constantFrom(undefined, 1),
    logit_bias: fc.constantFrom(undefined, { 1: 2 }),
    store: fc.constantFrom(undefined, true),
  })
  .map(clean);
const model = fc.constantFrom(
  'claude-3-5-haiku-20241022',
  'claude-sonnet-4-20250514',
  'claude-sonnet-4-5',
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-5-5',
  'claude-fable-5-1',
  'something-else',
);

function clean<T extends object>(value: T): Json {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

it('converts every conversation to a valid request or rejects it with unsupported_parameter', () => {
  let rejectedCount = 0;
  fc.assert(
    fc.property(request, model, (body, name) => {
      let converted: { body: Json; dropped: readonly string[] };
      try {
        converted = sent(body, name);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        expect([error.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'messages']);
        rejectedCount += 1;
        return;
      }
      expect(refusals(converted.body)).toEqual([]);
      for (const param of ['seed', 'logit_bias', 'store']) if (body[param] !== undefined) expect(converted.dropped).toContain(param);
    }),
    { numRuns: 1200 },
  );
  // Only conversations without any text are rejected.
  expect(rejectedCount).toBeLessThan(600);
});

it('keeps all content of a conversation', () => {
  let textLength = 0;
  fc.assert(
    fc.property(messages, (list) => {
      fc.pre(list.length > 0);
      let text: string;
      try {
        text = JSON.stringify(sent({ messages: list, max_tokens: 10 }, 'claude-sonnet-4-5').body);
      } catch (error) {
        if (error instanceof GatewayError) return;
        throw error;
      }
      textLength += 1;
      for (const message of list as Json[]) {
        const isTail = message === list.at(-1);
        if (typeof message['content'] !== 'string' || message['content'].trim() === '' || isTail) continue;
        if (message['role'] === 'assistant' && Array.isArray(message['content_blocks'])) continue;
        expect(text).toContain(
          JSON.stringify(message['content'])
            .slice(1, -1)
            .trimEnd()
            .replace(/(?:\\n|\\t|\\r|\\f|\\v)+$/, ''),
        );
      }
    }),
    { numRuns: 300 },
  );
  expect(textLength).toBeGreaterThan(150);
});

const responseBlock = fc.oneof<fc.Arbitrary<Json>[]>(
  fc.record({ type: fc.constant('thinking'), thinking: fc.string({ unit: 'binary' }), signature: fc.base64String({ minLength: 4 }) }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.base64String({ minLength: 4 }) }),
);
const textBlock = fc.string({ minLength: 1 }).map((text) => ({ type: 'text', text: `x${text}y` }));
const use = fc.record({
  type: fc.constant('tool_use'),
  id: fc.uuid().map((one) => `toolu_${one}`),
  name: toolName,
  input: fc.dictionary(fc.string(), fc.jsonValue()),
});

it('sends thinking, text and tool calls of a response back unchanged and in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(responseBlock, textBlock, use), { maxLength: 6 }),
      fc.oneof(textBlock, use),
      fc.boolean(),
      (blocks, last, isStream) => {
        // A turn that ends with thinking is not sent.
        const content = [...blocks, last];
        const uses = content.filter((one): one is Json & { id: string } => one['type'] === 'tool_use');
        const assistant = isStream ? streamed(content) : wholeResponse(content);
        const results = uses.map(({ id: call }) => ({ role: 'tool', tool_call_id: call, content: 'x' }));
        const back = sent(
          { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }, assistant, ...results, { role: 'user', content: 'Go' }] },
          'claude-sonnet-4-5',
        ).body;
        const turn = (back['messages'] as { content: Json[] }[])[1];
        expect(JSON.stringify(turn?.content)).toBe(JSON.stringify(content));
      },
    ),
    { numRuns: 300 },
  );
});

const message = (content: readonly Json[]): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

function wholeResponse(content: readonly Json[]): Json {
  const result = begin(anthropic, callOf({ strict: false })).result?.(JSON.stringify(message(content))) as { choices: { message: Json }[] };
  return JSON.parse(JSON.stringify(result.choices[0]?.message)) as Json;
}

/** Converts the stream and assembles the chunks like a client. */
function streamed(content: readonly Json[]): Json {
  const translate = begin(anthropic, callOf({ strict: false })).reader?.();
  const write = openaiDialect.write?.({ strict: false, includeUsage: false, provider: 'anthropic', model: 'm', id: 'r', createdAt: 1 });
  if (translate === undefined || write === undefined) throw new Error('no stream');
  let text = '';
  for (const data of eventsOf(content))
    for (const event of translate.push({ name: '', data: JSON.stringify(data) })) for (const piece of write.push(event)) text += piece;
  return gathered(text);
}

function* eventsOf(content: readonly Json[]): Generator<Json> {
  yield { type: 'message_start', message: { ...message([]), stop_reason: null } };
  for (const [index, one] of content.entries()) {
    yield {
      type: 'content_block_start',
      index,
      content_block: {
        ...one,
        ...(one['type'] === 'thinking' ? { thinking: '', signature: '' } : {}),
        ...(one['type'] === 'text' ? { text: '' } : {}),
        ...(one['type'] === 'tool_use' ? { input: {} } : {}),
      },
    };
    if (one['type'] === 'text') yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: one['text'] } };
    if (one['type'] === 'thinking') {
      yield { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: one['thinking'] } };
      yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: one['signature'] } };
    }
    if (one['type'] === 'tool_use')
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(one['input']) } };
    yield { type: 'content_block_stop', index };
  }
}

function gathered(text: string): Json {
  const blocks: Json[] = [];
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
  for (const event of text.split('\n\n').filter(Boolean)) {
    const { choices } = JSON.parse(event.slice(6)) as { choices: { delta: Json }[] };
    const delta = choices[0]?.delta ?? {};
    for (const one of (delta['content_blocks'] ?? []) as { index: number; delta: Record<string, string> }[]) {
      const existing = (blocks[one.index] ??= {});
      for (const [key, value] of Object.entries(one.delta)) existing[key] = String(existing[key] ?? '') + value;
    }
    for (const one of (delta['tool_calls'] ?? []) as { index: number; id?: string; function: { name?: string; arguments?: string } }[]) {
      const existing = (calls[one.index] ??= {
        id: one.id ?? '',
        type: 'function',
        function: { name: one.function.name ?? '', arguments: '' },
      });
      existing.function.arguments += one.function.arguments ?? '';
    }
  }
  return { role: 'assistant', content: null, content_blocks: blocks, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
