import { describe, expect, it } from 'vitest';
import { deltaText, newChoice } from '../openai-chat/delta.ts';
import { fromMessage } from './response/result.ts';
import { toMessages } from './request/index.ts';

type Json = Record<string, unknown>;

const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
const serverToolUse = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'f()' } };
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 }, caller };
const output = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'code_execution_result', stdout: '1' } };
const usage = { input_tokens: 1, output_tokens: 1 };
const message = (content: readonly Json[]) =>
  JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'tool_use', usage });

const call = { id: 'req_1', createdAt: 5, strict: false, model: 'claude-sonnet-4-5', includeUsage: false };
const convertContent = (content: readonly Json[], strict = false): Json => {
  const { choices } = fromMessage(message(content), { ...call, strict }) as { choices: { message: Json }[] };
  return choices[0]?.message ?? {};
};
const tools = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object' } }, allowed_callers: ['code_execution_20250825'] },
  { type: 'code_execution_20250825', name: 'code_execution' },
];
const user = { role: 'user', content: 'Hi' };
const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'one' };

function sent(messages: readonly Json[], offeredTools: readonly Json[] = tools): { content: unknown[]; dropped: string[] } {
  const model = { ...call, foundationModel: undefined, stream: false };
  const { body, dropped } = toMessages({ max_tokens: 9, messages, tools: offeredTools }, model, { media: new Map() });
  return { content: (body['messages'] as Json[]).map(({ content }) => content), dropped: dropped.map(({ param }) => param) };
}

describe('a call that code at the service made', () => {
  it('names its caller, where the response is not strict', () => {
    expect(convertContent([serverToolUse, toolUse])['tool_calls']).toMatchObject([{ id: 'toolu_1', caller }]);
    expect(convertContent([serverToolUse, toolUse], true)['tool_calls']).toEqual([
      { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ]);
    expect(convertContent([{ ...toolUse, caller: { type: 'direct' } }])['tool_calls']).not.toMatchObject([{ caller: {} }]);
  });

  it('names it in the first chunk of a stream', () => {
    const event = { type: 'tool_call', choice: 0, index: 0, id: 'toolu_1', name: 'f', arguments: '', caller } as const;
    const deltaOf = (strict: boolean): unknown => JSON.parse(`{${deltaText(event, newChoice(0), { id: 'r', strict })}}`);
    expect(deltaOf(false)).toMatchObject({ tool_calls: [{ id: 'toolu_1', caller }] });
    expect(deltaOf(true)).not.toMatchObject({ tool_calls: [{ caller }] });
  });

  it('is sent back with the code that made it, and with its output in a later turn', () => {
    const reply = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one' };
    const text = { type: 'text', text: 'Done.' };
    const history = [user, convertContent([serverToolUse, toolUse]), result, convertContent([output, text]), user];
    expect(sent(history)).toEqual({ content: ['Hi', [serverToolUse, toolUse], [reply], [output, text], 'Hi'], dropped: [] });
    expect(sent(history.slice(0, 3))).toEqual({ content: ['Hi', [serverToolUse, toolUse], [reply]], dropped: [] });
  });

  it.each([
    ['the client did not keep the code', { ...convertContent([serverToolUse, toolUse]), content_blocks: undefined }, tools],
    ['the request does not offer the tool', convertContent([serverToolUse, toolUse]), tools.slice(0, 1)],
  ])('is sent as the own call of the model if %s', (_, assistantMessage, offeredTools) => {
    const { caller: _caller, ...withoutCaller } = toolUse;
    const { content, dropped } = sent([user, assistantMessage, result], offeredTools);
    expect([content[1], dropped.includes('messages[].tool_calls[].caller')]).toEqual([[withoutCaller], true]);
  });
});
