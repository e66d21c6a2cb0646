import { describe, expect, it } from 'vitest';
import { openaiDialect } from '../../openai-chat/client.ts';
import { readChatStream } from '../../../../test/support/chat-chunk.ts';
import { fromMessage } from './result.ts';
import { MessagesStream } from './stream.ts';
import { outputTool } from './output-tool.ts';

const call = { id: 'req_1', createdAt: 1, model: 'm', strict: true };
const outputToolUse = { type: 'tool_use', id: 'toolu_1', name: outputTool, input: { n: 12, a: 'ü' } };
const otherToolUse = { type: 'tool_use', id: 'toolu_2', name: 'weather', input: {} };

function convertWhole(content: readonly object[]) {
  const response = fromMessage(JSON.stringify({ id: 'msg_1', model: 'm', content, stop_reason: 'tool_use' }), call);
  const [choice] = response['choices'] as { message: Record<string, unknown>; finish_reason: string }[];
  return choice;
}

function streamed(content: readonly { readonly input: object }[], pieces: (text: string) => readonly string[]) {
  const stream = new MessagesStream(call);
  const write = openaiDialect.write?.({ ...call, includeUsage: false, provider: 'anthropic' });
  const events: object[] = [{ type: 'message_start', message: { id: 'msg_1', model: 'm' } }];
  for (const [index, block] of content.entries()) {
    events.push({ type: 'content_block_start', index, content_block: { ...block, input: {} } });
    for (const partial_json of pieces(JSON.stringify(block.input)))
      events.push({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
    events.push({ type: 'content_block_stop', index });
  }
  events.push({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' });
  let text = '';
  for (const event of events)
    for (const model of stream.push({ name: '', data: JSON.stringify(event) })) for (const piece of write?.push(model) ?? []) text += piece;
  for (const piece of write?.end() ?? []) text += piece;
  const { chunks, problems } = readChatStream(text, true);
  expect(problems).toEqual([]);
  const deltas = chunks.flatMap(({ choices }) => choices);
  return {
    content: deltas.map(({ delta }) => delta.content ?? '').join(''),
    calls: deltas.flatMap(({ delta }) => delta.tool_calls ?? []),
    finish: deltas.at(-1)?.finish_reason,
  };
}

describe('the tool for structured output', () => {
  it('becomes the text of a complete response', () => {
    expect(convertWhole([outputToolUse])).toMatchObject({ message: { content: '{"n":12,"a":"ü"}' }, finish_reason: 'stop' });
    expect(convertWhole([outputToolUse])?.message).not.toHaveProperty('tool_calls');
  });

  it('replaces the other text of the response', () => {
    expect(convertWhole([{ type: 'text', text: 'Here it is:' }, outputToolUse])?.message['content']).toBe('{"n":12,"a":"ü"}');
  });

  it("does not hide calls of the client's tools", () => {
    expect(convertWhole([otherToolUse])).toMatchObject({
      message: { content: null, tool_calls: [{ id: 'toolu_2' }] },
      finish_reason: 'tool_calls',
    });
  });

  it.each([
    ['in one piece', (text: string) => [text]],
    ['in single characters', (text: string) => text.split('')],
  ])('becomes the text of a stream, %s', (_name, pieces) => {
    expect(streamed([outputToolUse], pieces)).toEqual({ content: '{"n":12,"a":"ü"}', calls: [], finish: 'stop' });
  });

  it('becomes an empty object if its input is empty', () => {
    expect(streamed([{ ...outputToolUse, input: {} }], () => [])).toEqual({ content: '{}', calls: [], finish: 'stop' });
  });
});
