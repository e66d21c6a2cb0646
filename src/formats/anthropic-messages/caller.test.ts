import { describe, expect, it } from 'vitest';
import { deltaText, newChoice } from '../openai-chat/delta.ts';
import { fromMessage } from './response/result.ts';
import { toMessages } from './request/index.ts';

type Json = Record<string, unknown>;

const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
const program = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'f()' } };
const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 }, caller };
const output = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'code_execution_result', stdout: '1' } };
const usage = { input_tokens: 1, output_tokens: 1 };
const message = (content: readonly Json[]) =>
  JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'tool_use', usage });

const call = { id: 'req_1', createdAt: 5, strict: false, model: 'claude-sonnet-4-5', includeUsage: false };
const answered = (content: readonly Json[], strict = false): Json => {
  const { choices } = fromMessage(message(content), { ...call, strict }) as { choices: { message: Json }[] };
  return choices[0]?.message ?? {};
};
const tools = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object' } }, allowed_callers: ['code_execution_20250825'] },
  { type: 'code_execution_20250825', name: 'code_execution' },
];
const user = { role: 'user', content: 'Hi' };
const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'one' };

function sent(messages: readonly Json[], offered: readonly Json[] = tools): { content: unknown[]; dropped: string[] } {
  const model = { ...call, foundationModel: undefined, stream: false };
  const { body, dropped } = toMessages({ max_tokens: 9, messages, tools: offered }, model, { media: new Map() });
  return { content: (body['messages'] as Json[]).map(({ content }) => content), dropped: dropped.map(({ param }) => param) };
}

describe('a call that code at the service made', () => {
  it('names its caller, where the response is not strict', () => {
    expect(answered([program, use])['tool_calls']).toMatchObject([{ id: 'toolu_1', caller }]);
    expect(answered([program, use], true)['tool_calls']).toEqual([
      { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ]);
    expect(answered([{ ...use, caller: { type: 'direct' } }])['tool_calls']).not.toMatchObject([{ caller: {} }]);
  });

  it('names it in the first chunk of a stream', () => {
    const event = { type: 'tool_call', choice: 0, index: 0, id: 'toolu_1', name: 'f', arguments: '', caller } as const;
    const written = (strict: boolean): unknown => JSON.parse(`{${deltaText(event, newChoice(0), { id: 'r', strict })}}`);
    expect(written(false)).toMatchObject({ tool_calls: [{ id: 'toolu_1', caller }] });
    expect(written(true)).not.toMatchObject({ tool_calls: [{ caller }] });
  });

  it('is sent back with the code that made it, and with its output in a later turn', () => {
    const reply = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one' };
    const text = { type: 'text', text: 'Done.' };
    const history = [user, answered([program, use]), result, answered([output, text]), user];
    expect(sent(history)).toEqual({ content: ['Hi', [program, use], [reply], [output, text], 'Hi'], dropped: [] });
    expect(sent(history.slice(0, 3))).toEqual({ content: ['Hi', [program, use], [reply]], dropped: [] });
  });

  it.each([
    ['the client did not keep the code', { ...answered([program, use]), content_blocks: undefined }, tools],
    ['the request does not offer the tool', answered([program, use]), tools.slice(0, 1)],
  ])('is sent as the own call of the model if %s', (_, message_, offered) => {
    const { caller: _caller, ...own } = use;
    const { content, dropped } = sent([user, message_, result], offered);
    expect([content[1], dropped.includes('messages[].tool_calls[].caller')]).toEqual([[own], true]);
  });
});
