import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/merge.ts';
import { chatOfResponses } from './count-tokens.ts';
import { withInputPaths } from './input-paths.ts';
import { toGenerateContent } from './request/index.ts';

const call = (id: string, name: string, text: string): JsonObject => ({
  role: 'assistant',
  tool_calls: [{ id, function: { name, arguments: text } }],
});
const result = (id: string, content: unknown): JsonObject => ({ role: 'tool', tool_call_id: id, content });

describe('chatOfResponses', () => {
  it.each<[string, unknown, readonly JsonObject[]]>([
    ['a string', 'hi', [{ role: 'user', content: 'hi' }]],
    ['nothing', undefined, [{ role: 'user', content: '' }]],
    [
      'function calls and their results',
      [
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'x' }] },
      ],
      [call('c1', 'f', '{}'), result('c1', [{ type: 'input_text', text: 'x' }])],
    ],
    [
      'custom tool calls and their results',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'run', input: 'ls' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'x' },
      ],
      [call('c1', 'run', '{"input":"ls"}'), result('c1', 'x')],
    ],
  ])('converts input: %s', (_name, input, messages) => {
    expect(chatOfResponses({ input })).toMatchObject({ body: { messages }, dropped: [] });
  });

  it('reports what is not counted', () => {
    const input = [{ type: 'reasoning', summary: [] }, { type: 'web_search_call' }, { role: 'user', content: 'x' }];
    const tools = [{ type: 'function', name: 'f' }, { type: 'file_search' }];
    const format = { type: 'json_schema', name: 'n', schema: {} };
    const { body, dropped } = chatOfResponses({ input, tools, text: { format }, prompt: { id: 'p' } });
    expect(body).toEqual({ messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'function', name: 'f' }] });
    expect(dropped.map(({ param }) => param)).toEqual([
      'input[].reasoning',
      'input[].web_search_call',
      'tools[].file_search',
      'text.format',
      'prompt',
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ input: 5 }, 'input'],
    [{ input: 'x', instructions: [{ role: 'developer', content: 'x' }] }, 'instructions'],
    [{ input: { role: 'user', content: 'x' } }, 'input'],
    [{ input: ['x'] }, 'input[0]'],
    [{ input: [{ type: 'message', content: 'x' }] }, 'input[0].role'],
    [{ input: 'x', previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ input: 'x', conversation: 'conv_1' }, 'conversation'],
  ])('rejects a request with a part that would not be counted: %j', (body, param) => {
    expect(() => chatOfResponses(body)).toThrow(expect.objectContaining({ status: 400, param }));
  });
});

const noFiles = { model: 'gemini-3-flash', media: new Map(), strict: true, showsReasoning: false };
const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;

/** Converts the chat of a token count request and returns the lost parameters. */
function converted(body: JsonObject): readonly string[] {
  const { body: chat, origins } = chatOfResponses({ instructions: 'Be brief.', ...body });
  return withInputPaths(origins, {}, () => toGenerateContent(chat, noFiles, options)).dropped.map(({ param }) => param);
}

const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const skipped = { type: 'reasoning', summary: [] };

describe('an error of a token count names the path in the input', () => {
  it.each<[JsonObject, string]>([
    [{ input: [skipped, { role: 'poet', content: 'x' }] }, 'input[1].role'],
    [{ input: [user({ type: 'video' })] }, 'input[0].content[0]'],
    [{ input: [skipped, user({ type: 'input_image', image_url: 'x' })] }, 'input[1].content[0].image_url'],
    [{ input: [user({ type: 'input_file', file_id: 'file-1' })] }, 'input[0].content[0].file_id'],
    [{ input: [user({ type: 'input_text', text: 'x' }), skipped, { role: 'poet', content: 'x' }] }, 'input[2].role'],
    [{ input: [skipped, { type: 'function_call', call_id: 'c1' }] }, 'input[1].name'],
    [{ input: 'x', tools: [{ type: 'file_search' }, { type: 'function' }] }, 'tools[1].name'],
  ])('for %j', (body, param) => {
    expect(() => converted(body)).toThrow(expect.objectContaining({ status: 400, param }));
  });

  it('also for a dropped field', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } };
    const tools = [{ type: 'function', name: 'f', parameters: schema, strict: true }];
    const file = { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' };
    expect(converted({ input: [user(file)], tools })).toEqual([
      'input[].content[].filename',
      'tools[].strict',
      'tools[].parameters.contentEncoding',
    ]);
  });
});
