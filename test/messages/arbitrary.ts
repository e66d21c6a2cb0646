import fc from 'fast-check';
import type { Json } from '../contract/gemini-oracle.ts';

/** Requests of the messages API that the common form carries whole: what it can't is in other tests. */

const nonBlankText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '' && text.trim() === text);
const name = fc.stringMatching(/^[a-z]\w{0,8}$/);
const cache = fc.option(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }), { nil: undefined });
const marked = <T extends Json>(block: fc.Arbitrary<T>): fc.Arbitrary<Json> =>
  fc.tuple(block, cache).map(([one, mark]) => (mark === undefined ? one : { ...one, cache_control: mark }));

const text = nonBlankText.map((value): Json => ({ type: 'text', text: value }));
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const image = fc.constantFrom<Json>(
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  { type: 'image', source: { type: 'url', url: 'https://a.example/cat.jpg' } },
);
const pdf: fc.Arbitrary<Json> = fc.record(
  {
    type: fc.constant('document'),
    source: fc.constantFrom(
      { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
      { type: 'url', url: 'https://a.example/b.pdf' },
    ),
    title: nonBlankText,
    context: nonBlankText,
    citations: fc.constant({ enabled: true }),
  },
  { requiredKeys: ['type', 'source'] },
);
const input = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

const thought = fc.constantFrom<Json>(
  { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
  { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
);

/** A step of the model: thoughts, text and calls in any order, and the results of its calls. */
const step = fc
  .record({
    thoughts: fc.array(thought, { maxLength: 2 }),
    blocks: fc.array(fc.oneof(marked(text), marked(fc.record({ type: fc.constant('tool_use'), name, input }))), {
      minLength: 1,
      maxLength: 4,
    }),
    results: fc.array(
      fc.record({
        content: fc.oneof(nonBlankText, fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 2 })),
        is_error: fc.constantFrom(true, undefined),
        mark: cache,
      }),
      { minLength: 4, maxLength: 4 },
    ),
    after: fc.array(fc.oneof(marked(text), marked(image), marked(pdf)), { maxLength: 2 }),
  })
  .map(({ thoughts, blocks, results, after }) => ({ said: [...thoughts, ...blocks], results, after }));

const tool = fc
  .record(
    {
      name,
      description: nonBlankText,
      input_schema: fc.constant({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }),
      strict: fc.constant(true),
      cache_control: fc.constant({ type: 'ephemeral' }),
      type: fc.constant('custom'),
    },
    { requiredKeys: ['name', 'input_schema'] },
  )
  .map((value) => value as Json);

const fields = fc.record(
  {
    system: fc.oneof(nonBlankText, fc.array(marked(text), { minLength: 1, maxLength: 2 })),
    tool_choice: fc.constantFrom<Json>(
      { type: 'auto' },
      { type: 'any', disable_parallel_tool_use: true },
      { type: 'none' },
      { type: 'tool', name: 'f' },
    ),
    stop_sequences: fc.array(nonBlankText, { minLength: 1, maxLength: 3 }),
    metadata: fc.record({ user_id: nonBlankText }),
    service_tier: fc.constantFrom('auto', 'standard_only'),
    output_config: fc.record(
      {
        effort: fc.constantFrom('low', 'medium', 'high', 'max'),
        format: fc.constant({
          type: 'json_schema',
          schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
        }),
      },
      { requiredKeys: ['effort'] },
    ),
    thinking: fc.constantFrom<Json>({ type: 'adaptive' }, { type: 'adaptive', display: 'omitted' }),
    cache_control: fc.constant({ type: 'ephemeral' }),
    context_management: fc.constant({ edits: [{ type: 'clear_tool_uses_20250919' }] }),
    stream: fc.constant(true),
  },
  { requiredKeys: ['thinking'] },
);

export const request: fc.Arbitrary<Json> = fc
  .record({
    first: fc.oneof(nonBlankText, fc.array(fc.oneof(marked(text), marked(image), marked(pdf)), { minLength: 1, maxLength: 3 })),
    steps: fc.array(step, { maxLength: 3 }),
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    fields,
  })
  .map(({ first, steps, tools, fields: more }): Json => {
    let calls = 0;
    const turns = steps.flatMap(({ said, results, after }): Json[] => {
      const blocks = said.map((block) => (block['type'] === 'tool_use' ? { ...block, id: `toolu_${(calls += 1)}` } : block));
      const toolResults = blocks
        .filter(({ type }) => type === 'tool_use')
        .map((block, at): Json => {
          const { content, is_error, mark } = results[at] ?? { content: 'none', is_error: undefined, mark: undefined };
          return {
            type: 'tool_result',
            tool_use_id: (block as Json)['id'],
            content,
            ...(is_error === undefined ? {} : { is_error }),
            ...(mark === undefined ? {} : { cache_control: mark }),
          };
        });
      return [
        { role: 'assistant', content: blocks },
        { role: 'user', content: [...toolResults, ...after, { type: 'text', text: 'Go on' }] },
      ];
    });
    return { model: 'claude-opus-4-6', max_tokens: 1000, messages: [{ role: 'user', content: first }, ...turns], tools, ...more };
  });
