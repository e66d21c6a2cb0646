import { expect, test } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { GenerateContentStream, type GenerateCall } from './stream.ts';
import { GeminiTap } from './tap.ts';

const part = (text: string, extra = ''): string => `{"text": ${JSON.stringify(text)}${extra}}`;

function response(parts: string, extra = '', counts = '"promptTokenCount": 7,"totalTokenCount": 9'): string {
  return `{"candidates": [{"content": {"parts": [${parts}],"role": "model"}${extra},"index": 0}],"usageMetadata": {${counts}},"modelVersion": "gemini-3","responseId": "r1"}`;
}

const counted = (total: number): string =>
  `"promptTokenCount": 7,"candidatesTokenCount": ${total - 7},"totalTokenCount": ${total},"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}]`;

const streams: Readonly<Record<string, readonly string[]>> = {
  'text alone': [
    response(part('Hel')),
    response(part('lo')),
    response(part(' wörld\n"quoted" \\ 😀')),
    response(part('.'), ',"finishReason": "STOP"'),
  ],
  'counts that grow': [
    response(part('a'), '', counted(8)),
    response(part('b'), '', counted(9)),
    response(part('c'), '', counted(1000)),
    response(part('d'), ',"finishReason": "STOP"', counted(1002)),
  ],
  'counts that are only in the last similar event': [
    response(part('a'), ',"finishReason": "STOP"', counted(8)),
    response(part('b'), ',"finishReason": "STOP"', counted(12)),
  ],
  'a finish reason that the last event replaces': [
    response(part('a'), ',"finishReason": "MAX_TOKENS"'),
    response(part('b', ',"thoughtSignature": "s1"'), ',"finishReason": "STOP"'),
    response(part('c'), ',"finishReason": "MAX_TOKENS"'),
  ],
  'thinking, then text': [
    response(part('Let', ',"thought": true')),
    response(part(' me', ',"thought": true')),
    response(part(' see', ',"thought": true')),
    response(part('Well')),
    response(part(', yes')),
    response(part(', no', ',"thought": true')),
    response(part('!'), ',"finishReason": "STOP"'),
  ],
  'a call between texts': [
    response(part('a')),
    response(part('b')),
    response('{"functionCall": {"name": "f","args": {"n": 1}}}'),
    response(part('c')),
    response(part('d')),
    response(part(''), ',"finishReason": "STOP"'),
  ],
  'a signed text and sources': [
    response(part('a')),
    response(part('b')),
    response(part('c', ',"thoughtSignature": "s1"')),
    response(part('d')),
    response(part('e'), ',"groundingMetadata": {"webSearchQueries": ["q"]}'),
    response(part('f'), ',"finishReason": "STOP"'),
  ],
  'repeated members next to the text': ['a', 'b', 'c']
    .flatMap((text) => [
      response(part(text, ',"thoughtSignature": "s1"')),
      response(`${part(text)},{"functionCall": {"name": "f","args": {}}}`),
      response(part(text), ',"groundingMetadata": {"webSearchQueries": ["q"]}'),
      response(part(text), ',"logprobsResult": {"chosenCandidates": [{"token": "t", "logProbability": -1}]},"finishReason": "STOP"'),
    ])
    .toSorted((a, b) => a.length - b.length),
  'feedback in each event': ['a', 'b', 'c'].map((text) =>
    response(part(text), ',"finishReason": "STOP"').replace('"modelVersion"', '"promptFeedback": {"safetyRatings": []},"modelVersion"'),
  ),
  'an error after text': [response(part('a')), response(part('b')), '{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}'],
  'an end without a reason': [response(part('a')), response(part('b'))],
  'content after a finish reason': [
    response(part('a')),
    response(part('b'), ',"finishReason": "STOP"'),
    response(part('c')),
    response(part('d')),
  ],
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
  const differentEvents = stream.map((data, index) => data + ' '.repeat(index));
  for (const call of calls) expect(events(stream, call)).toEqual(events(differentEvents, call));
});

const stop = ',"finishReason": "STOP"';
const step = '{"codeExecutionResult": {"outcome": "OUTCOME_OK"}}';

/** Recorded from gemini-2.5-pro: a finish reason with a code execution step, then more content, then another finish reason. */
test.each<[string, readonly string[], boolean]>([
  ['a code execution step', [response(part('a'), stop), response(step)], false],
  ['text', [response(part('a'), stop), response(part('b'))], false],
  ['text similar to the text before it', [response(part('a')), response(part('b'), stop), response(part('c')), response(part('d'))], false],
  ['text of another candidate', [response(part('a'), stop), response(part('b')).replace('"index": 0', '"index": 1')], false],
  ['text with its own finish reason', [response(part('a'), stop), response(step), response(part('b')), response(part('c'), stop)], true],
  ['an empty text', [response(part('a'), stop), response(part(''))], true],
  ['a signature', [response(part('a'), stop), response(part('', ',"thoughtSignature": "s1"'))], true],
  ['sources', [response(part('a'), stop), response('', ',"groundingMetadata": {"webSearchQueries": ["q"]}')], true],
])('a stream that ends after a finish reason and %s is complete only if nothing is missing', (_, stream, isComplete) => {
  const tap = new GeminiTap();
  for (const data of stream) tap.event({ name: '', data });
  expect(tap.complete).toBe(isComplete);
  for (const call of calls) expect(events(stream, call).some(({ type }) => type === 'error')).toBe(!isComplete);
});

test.each<[string, readonly object[], readonly string[]]>([
  ['in another order, without the number 0', [{ index: 1 }, {}], ['bd', 'ac']],
  ['without numbers', [{}, {}], ['ac', 'bd']],
])('candidates %s stay apart', (_, numbers, expected) => {
  const event = (texts: readonly string[], finish: object): string =>
    JSON.stringify({ candidates: numbers.map((number, at) => ({ ...number, content: { parts: [{ text: texts[at] }] }, ...finish })) });
  const stream = [event(['a', 'b'], {}), event(['c', 'd'], { finishReason: 'STOP' })];
  const tap = new GeminiTap();
  for (const data of stream) tap.event({ name: '', data });
  expect([tap.complete, tap.finish]).toEqual([true, ['STOP', 'STOP']]);
  for (const call of calls) {
    const read = events(stream, call);
    const textOf = (choice: number): string => read.map((one) => (one.type === 'text' && one.choice === choice ? one.text : '')).join('');
    expect([textOf(0), textOf(1)]).toEqual(expected);
    expect(read.filter(({ type }) => type === 'finish')).toHaveLength(2);
  }
});
