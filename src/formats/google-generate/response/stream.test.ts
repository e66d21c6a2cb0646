import { expect, test } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { GenerateContentStream, type GenerateCall } from './stream.ts';
import { GeminiTap } from './tap.ts';

const part = (text: string, more = ''): string => `{"text": ${JSON.stringify(text)}${more}}`;

function answer(parts: string, more = '', counts = '"promptTokenCount": 7,"totalTokenCount": 9'): string {
  return `{"candidates": [{"content": {"parts": [${parts}],"role": "model"}${more},"index": 0}],"usageMetadata": {${counts}},"modelVersion": "gemini-3","responseId": "r1"}`;
}

const counted = (total: number): string =>
  `"promptTokenCount": 7,"candidatesTokenCount": ${total - 7},"totalTokenCount": ${total},"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}]`;

const streams: Readonly<Record<string, readonly string[]>> = {
  'text alone': [
    answer(part('Hel')),
    answer(part('lo')),
    answer(part(' wörld\n"quoted" \\ 😀')),
    answer(part('.'), ',"finishReason": "STOP"'),
  ],
  'counts that grow': [
    answer(part('a'), '', counted(8)),
    answer(part('b'), '', counted(9)),
    answer(part('c'), '', counted(1000)),
    answer(part('d'), ',"finishReason": "STOP"', counted(1002)),
  ],
  'counts that are only in the last similar event': [
    answer(part('a'), ',"finishReason": "STOP"', counted(8)),
    answer(part('b'), ',"finishReason": "STOP"', counted(12)),
  ],
  'a finish reason that the last event replaces': [
    answer(part('a'), ',"finishReason": "MAX_TOKENS"'),
    answer(part('b', ',"thoughtSignature": "s1"'), ',"finishReason": "STOP"'),
    answer(part('c'), ',"finishReason": "MAX_TOKENS"'),
  ],
  'thinking, then text': [
    answer(part('Let', ',"thought": true')),
    answer(part(' me', ',"thought": true')),
    answer(part(' see', ',"thought": true')),
    answer(part('Well')),
    answer(part(', yes')),
    answer(part(', no', ',"thought": true')),
    answer(part('!'), ',"finishReason": "STOP"'),
  ],
  'a call between texts': [
    answer(part('a')),
    answer(part('b')),
    answer('{"functionCall": {"name": "f","args": {"n": 1}}}'),
    answer(part('c')),
    answer(part('d')),
    answer(part(''), ',"finishReason": "STOP"'),
  ],
  'a signed text and sources': [
    answer(part('a')),
    answer(part('b')),
    answer(part('c', ',"thoughtSignature": "s1"')),
    answer(part('d')),
    answer(part('e'), ',"groundingMetadata": {"webSearchQueries": ["q"]}'),
    answer(part('f'), ',"finishReason": "STOP"'),
  ],
  'repeated members next to the text': ['a', 'b', 'c']
    .flatMap((text) => [
      answer(part(text, ',"thoughtSignature": "s1"')),
      answer(`${part(text)},{"functionCall": {"name": "f","args": {}}}`),
      answer(part(text), ',"groundingMetadata": {"webSearchQueries": ["q"]}'),
      answer(part(text), ',"logprobsResult": {"chosenCandidates": [{"token": "t", "logProbability": -1}]},"finishReason": "STOP"'),
    ])
    .toSorted((a, b) => a.length - b.length),
  'feedback in each event': ['a', 'b', 'c'].map((text) =>
    answer(part(text), ',"finishReason": "STOP"').replace('"modelVersion"', '"promptFeedback": {"safetyRatings": []},"modelVersion"'),
  ),
  'an error after text': [answer(part('a')), answer(part('b')), '{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}'],
  'an end without a reason': [answer(part('a')), answer(part('b'))],
  'content after a finish reason': [answer(part('a')), answer(part('b'), ',"finishReason": "STOP"'), answer(part('c')), answer(part('d'))],
};

/** Returns the converted events, without joining adjacent texts. */
function events(stream: readonly string[], call: GenerateCall): readonly ModelEvent[] {
  const reader = new GenerateContentStream(call);
  return [...stream.flatMap((data) => reader.push({ name: '', data })), ...reader.end()];
}

const calls = [true, false].flatMap((strict) =>
  ['gemini-3-flash', 'gemini-2.0-flash-thinking-exp'].map((model) => ({ model, strict, showsReasoning: true, id: 'req_1', createdAt: 1 })),
);

test.each(Object.entries(streams))('%s: events that are read by their similarity convert like parsed ones', (_, stream) => {
  // With different trailing blanks, no event is recognized as similar to an earlier one.
  const unlike = stream.map((data, index) => data + ' '.repeat(index));
  for (const call of calls) expect(events(stream, call)).toEqual(events(unlike, call));
});

const stop = ',"finishReason": "STOP"';
const step = '{"codeExecutionResult": {"outcome": "OUTCOME_OK"}}';

/** Recorded from gemini-2.5-pro: a finish reason with a code execution step, then more content, then another finish reason. */
test.each<[string, readonly string[], boolean]>([
  ['a code execution step', [answer(part('a'), stop), answer(step)], false],
  ['text', [answer(part('a'), stop), answer(part('b'))], false],
  ['text similar to the text before it', [answer(part('a')), answer(part('b'), stop), answer(part('c')), answer(part('d'))], false],
  ['text of another candidate', [answer(part('a'), stop), answer(part('b')).replace('"index": 0', '"index": 1')], false],
  ['text with its own finish reason', [answer(part('a'), stop), answer(step), answer(part('b')), answer(part('c'), stop)], true],
  ['an empty text', [answer(part('a'), stop), answer(part(''))], true],
  ['a signature', [answer(part('a'), stop), answer(part('', ',"thoughtSignature": "s1"'))], true],
  ['sources', [answer(part('a'), stop), answer('', ',"groundingMetadata": {"webSearchQueries": ["q"]}')], true],
])('a stream that ends after a finish reason and %s is complete only if nothing is missing', (_, stream, isWhole) => {
  const tap = new GeminiTap();
  for (const data of stream) tap.event({ name: '', data });
  expect(tap.complete).toBe(isWhole);
  for (const call of calls) expect(events(stream, call).some(({ type }) => type === 'error')).toBe(!isWhole);
});
