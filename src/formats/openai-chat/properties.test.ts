import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChatStream } from '../../../test/support/chat-chunk.ts';
import type { ModelEvent } from '../../core/events.ts';
import { openaiDialect } from './client.ts';

const choice = fc.nat({ max: 2 });
const block = fc.option(fc.nat({ max: 5 }), { nil: undefined });
const text = fc.string({ unit: 'binary' });
const optionalText = fc.option(text, { nil: undefined });
const fields = fc.constantFrom<Record<string, unknown>>({}, { groundingMetadata: { a: [1] } }, { safetyRatings: [] }, { a: 1, b: null });

const parts: fc.Arbitrary<ModelEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text' as const), choice, text, block, signature: optionalText }) },
  fc.record({ type: fc.constant('thinking' as const), choice, text: optionalText, block, signature: optionalText }),
  fc.record({ type: fc.constant('redacted' as const), choice, block: fc.nat({ max: 5 }), data: text }),
  fc.record({ type: fc.constant('refusal' as const), choice, text }),
  fc.record({
    type: fc.constant('media' as const),
    choice,
    mimeType: fc.constantFrom('image/png', 'audio/wav'),
    base64: fc.base64String(),
    block,
    signature: optionalText,
  }),
  fc.record({
    type: fc.constant('block' as const),
    choice,
    block: fc.nat({ max: 5 }),
    state: fc.constantFrom('open' as const, 'close' as const),
    kind: fc.constantFrom('text' as const, 'thinking' as const, 'redacted' as const, 'media' as const, 'tool' as const, 'native' as const),
    native: fc.constantFrom(undefined, null, { type: 'server_tool_use', input: {} }),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('tool_call' as const),
      choice,
      index: fc.nat({ max: 3 }),
      id: optionalText,
      name: optionalText,
      arguments: optionalText,
      thoughtSignature: optionalText,
    }),
  },
  fc.record({ type: fc.constant('audio' as const), choice, audio: fc.record({ data: text }) }),
  fc.record({ type: fc.constant('extra' as const), choice: fc.option(choice, { nil: undefined }), fields, strict: fc.constant(false) }),
  fc.record({
    type: fc.constant('usage' as const),
    usage: fc.record({ prompt: fc.nat(), completion: fc.nat(), cached: fc.nat(), reasoning: fc.nat() }),
  }),
) as fc.Arbitrary<ModelEvent>;

const start = fc.option(fc.record({ type: fc.constant('start' as const), id: text, model: text, created: fc.nat() }), { nil: undefined });
const finishes = [0, 1, 2].map((index): ModelEvent => ({ type: 'finish', choice: index, reason: 'stop', raw: 'STOP' }));

/** The texts of one choice, joined as clients join them. */
function joinedText(events: readonly ModelEvent[], index: number): string {
  return events.flatMap((event) => (event.type === 'text' && event.choice === index ? [event.text] : [])).join('');
}

/** The arguments of each call of one choice, in the order of the first event of each call. */
function joinedCalls(events: readonly ModelEvent[], index: number): string[] {
  const calls = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'tool_call' && event.choice === index)
      calls.set(event.index, (calls.get(event.index) ?? '') + (event.arguments ?? ''));
  }
  return [...calls.values()];
}

describe('any provider stream', () => {
  it('is written as valid chunks that join to the same text and calls', () => {
    fc.assert(
      fc.property(start, fc.array(parts, { maxLength: 40 }), fc.boolean(), fc.boolean(), (first, body, strict, includeUsage) => {
        const events = [...(first === undefined ? [] : [first]), ...body, ...finishes];
        const writer = openaiDialect.write?.({ strict, includeUsage, provider: 'p', model: 'm', id: 'req_1', createdAt: 1 });
        if (writer === undefined) throw new Error('the dialect writes nothing');
        const stream = events
          .flatMap((event) => [...writer.push(event)])
          .concat(...writer.end())
          .join('');
        const { chunks, problems, isDone, error } = readChatStream(stream, strict);
        expect({ problems, isDone, error }).toEqual({ problems: [], isDone: true, error: undefined });
        const reported = body.some((event) => event.type === 'usage');
        expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(includeUsage && reported ? 1 : 0);
        for (const index of [0, 1, 2]) {
          const choiceChunks = chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);
          expect(choiceChunks.map((choice) => choice.delta.content ?? '').join('')).toBe(joinedText(events, index).toWellFormed());
          expect(choiceChunks.filter((choice) => choice.delta.role !== undefined)).toEqual(choiceChunks.slice(0, 1));
          expect(choiceChunks.filter((choice) => choice.finish_reason !== null)).toHaveLength(1);
          const calls: string[] = [];
          for (const call of choiceChunks.flatMap((choice) => choice.delta.tool_calls ?? []))
            calls[call.index] = (calls[call.index] ?? '') + (call.function?.arguments ?? '');
          expect(calls).toEqual(joinedCalls(events, index));
        }
      }),
    );
  });
});
