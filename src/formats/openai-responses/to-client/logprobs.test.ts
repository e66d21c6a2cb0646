import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { fromGenerateContent } from '../../google-generate/response/result.ts';
import { GenerateContentStream } from '../../google-generate/response/stream.ts';
import { ChatReader } from '../../openai-chat/reader/chunks.ts';
import { ResponseEvents } from './events.ts';
import { wholeResponse } from './index.ts';

const names = { id: 'req_1', model: 'm', createdAt: 1 };
const call = { ...names, strict: false, showsReasoning: false };
const tokens = ['Hi', ' you'];
const expected = tokens.map((token) => {
  const one = { token, logprob: -0.5, bytes: [...Buffer.from(token)] };
  return { ...one, top_logprobs: [one] };
});

const chatLogprobs = (some: readonly string[]): object => ({
  content: some.map((token) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [{ token, logprob: -0.5, bytes: null }] })),
});
const chatChoice = (text: string, some: readonly string[], member: string): object => ({
  id: 'c',
  choices: [{ index: 0, [member]: { content: text }, logprobs: chatLogprobs(some), finish_reason: 'stop' }],
});
const contents = (text: string, some: readonly string[]): object => {
  const rows = some.map((token) => ({ token, logProbability: -0.5 }));
  const logprobsResult = { chosenCandidates: rows, topCandidates: rows.map((row) => ({ candidates: [row] })) };
  return { candidates: [{ content: { parts: [{ text }] }, logprobsResult, finishReason: 'STOP' }] };
};

it.each([
  ['chat', () => new ChatReader(), chatChoice('Hi you', tokens, 'message'), (text: string) => chatChoice(text, [text], 'delta')],
  [
    'Gemini',
    () => new GenerateContentStream(call),
    fromGenerateContent(JSON.stringify(contents('Hi you', tokens)), call),
    (text: string) => contents(text, [text]),
  ],
] as const)('the log probabilities of a %s service are the same in a whole response and in a stream', (_name, readerOf, whole, piece) => {
  const partOf = ({ output }: JsonObject): unknown => (output as { content: unknown[] }[])[0]?.content[0];
  const part = { type: 'output_text', text: 'Hi you', annotations: [], logprobs: expected };
  expect(partOf(wholeResponse(whole, names))).toEqual(part);
  const reader = readerOf();
  const writer = new ResponseEvents(names);
  const events = [...tokens.flatMap((text) => reader.push({ name: '', data: JSON.stringify(piece(text)) })), ...reader.end()];
  const written = [...events.flatMap((event) => writer.push(event)), ...writer.end()];
  expect(partOf(writer.response())).toEqual(part);
  const deltas = written.filter(({ type }) => type === 'response.output_text.delta');
  expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual(tokens.map((text, at) => [text, [expected[at]]]));
});
