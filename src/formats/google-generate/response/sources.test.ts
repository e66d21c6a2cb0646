import { expect, it } from 'vitest';
import { MessageEvents } from '../../anthropic-messages/to-client/events.ts';
import { wholeMessage } from '../../anthropic-messages/to-client/index.ts';
import { fromGenerateContent } from './result.ts';
import { GenerateContentStream } from './stream.ts';

/** Sources of a text that a tool call follows, for clients of the messages API. */

const call = { id: 'r1', createdAt: 1, model: 'gemini-3', strict: false, showsReasoning: true, notes: undefined };
const text = { text: 'Rain.' };
const tool = { functionCall: { name: 'f', args: {} } };
const support = (start: number, end: number) => ({ segment: { startIndex: start, endIndex: end }, groundingChunkIndices: [0] });
const grounding = { groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }], groundingSupports: [support(0, 5)] };
const candidate = (parts: readonly object[], more: object = {}) => ({ candidates: [{ content: { role: 'model', parts }, ...more }] });
const end = { finishReason: 'STOP' };
const cited = { citation: expect.objectContaining({ url: 'https://a.example' }) as object };

function streamed(answers: readonly object[]) {
  const reader = new GenerateContentStream(call);
  return [...answers.flatMap((answer) => reader.push({ name: '', data: JSON.stringify(answer) })), ...reader.end()];
}

it.each([
  ['in the event of the call', [candidate([text]), candidate([tool], { groundingMetadata: grounding, ...end })]],
  ['before the call', [candidate([text], { groundingMetadata: grounding }), candidate([tool], end)]],
  ['in one event', [candidate([text, tool], { groundingMetadata: grounding, ...end })]],
])('are sent once, in the block of the text: %s', (_name, answers) => {
  const events = streamed(answers);
  expect(events.filter(({ type }) => type === 'annotations')).toHaveLength(1);
  const writer = new MessageEvents(call);
  const written = events.flatMap((event) => writer.push(event)).filter(({ type }) => type === 'content_block_delta');
  expect(written.slice(0, 2)).toMatchObject([
    { index: 0, delta: { type: 'text_delta' } },
    { index: 0, delta: { type: 'citations_delta', ...cited } },
  ]);
});

it('are in the complete message', () => {
  const answer = candidate([text, tool], { groundingMetadata: grounding, ...end });
  const { content } = wholeMessage(fromGenerateContent(JSON.stringify(answer), call), call);
  expect(content).toMatchObject([{ type: 'text', citations: [cited.citation] }, { type: 'tool_use' }]);
});

it('of a later text are sent at the end, the earlier ones not again', () => {
  const later = { ...grounding, groundingSupports: [support(0, 5), { ...support(0, 4), segment: { partIndex: 2, endIndex: 4 } }] };
  const events = streamed([
    candidate([text], { groundingMetadata: grounding }),
    candidate([tool, { text: 'Snow' }], { groundingMetadata: later, ...end }),
  ]);
  const ranges = events.flatMap((event) => (event.type === 'annotations' ? [event.annotations.map((one) => one['url_citation'])] : []));
  expect(ranges).toMatchObject([[{ start_index: 0, end_index: 5 }], [{ start_index: 5, end_index: 9 }]]);
});
