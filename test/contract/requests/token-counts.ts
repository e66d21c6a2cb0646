import { developer, modelsUrl, type RequestRow } from './row.ts';

type Row = Omit<RequestRow, 'endpoint' | 'name'>;

const countUrl = `${modelsUrl}/publishers/google/models/gemini-2.5-flash:countTokens`;
const user = (...parts: object[]): object => ({ role: 'user', parts });

/** Counted as they would be sent as a response or message. */
const rows: Readonly<Record<string, Row>> = {
  'a text': {
    body: { model: 'x', instructions: 's', input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] },
    upstream: { contents: [user({ text: 'hi' })], systemInstruction: { parts: [{ text: 's' }] } },
  },
  'with an API key': {
    provider: 'gemini',
    settings: {},
    url: `${developer}/models/gemini-2.5-flash:countTokens`,
    body: { input: 'hi', temperature: 1, max_output_tokens: 100 },
    upstream: { generateContentRequest: { model: 'models/gemini-2.5-flash', contents: [user({ text: 'hi' })] } },
  },
  'calls, results and reasoning': {
    body: {
      input: [
        { role: 'user', content: 'q' },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:next:c2ln' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'run', input: 'ls' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'x' }] },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'y' },
      ],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: { a: { type: 'integer' } } } }],
    },
    upstream: {
      contents: [
        user({ text: 'q' }),
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
            { functionCall: { name: 'run', args: { input: 'ls' } } },
          ],
        },
        user(
          { functionResponse: { name: 'f', response: { output: 'x' } } },
          { functionResponse: { name: 'run', response: { output: 'y' } } },
        ),
      ],
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object', properties: { a: { type: 'integer' } } } }] }],
    },
  },
  'what is not counted': {
    body: {
      input: [{ type: 'web_search_call' }, { role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      tools: [{ type: 'file_search' }],
      text: { format: { type: 'json_schema', name: 'n', schema: {} } },
    },
    upstream: { contents: [user({ text: 'hi' })] },
    dropped: ['input[].web_search_call', 'tools[].file_search', 'text.format'],
  },
  'without input': { body: { instructions: 's' }, refused: ['invalid_type', 'input'] },
  'of an unknown item': { body: { input: [{ type: 'poem' }] }, refused: ['unsupported_parameter', 'input[0].type'] },
  'with a stored response': {
    body: { input: 'x', previous_response_id: 'resp_1' },
    refused: ['unsupported_endpoint', 'previous_response_id'],
  },
  'with a prompt of the dashboard': { body: { input: 'x', prompt: { id: 'p' } }, refused: ['unsupported_endpoint', 'prompt'] },
  'with an address that is none': {
    body: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] },
    refused: ['unsupported_parameter', 'input[].content[].input_image.image_url'],
  },
};

/** The same counts in the format of messages. */
const ofMessages: Readonly<Record<string, Row>> = {
  'of messages': {
    body: {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
      ],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    },
    upstream: {
      contents: [
        user({ text: 'q' }),
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        user({ functionResponse: { name: 'f', response: { output: 'x' } } }),
      ],
      tools: [{ googleSearch: {} }],
    },
    dropped: ['output_config.format'],
  },
};

const rowsOf = (endpoint: RequestRow['endpoint'], named: typeof rows): readonly RequestRow[] =>
  Object.entries(named).map(([name, row]) => ({ name: `a token count: ${name}`, endpoint, url: countUrl, ...row }) as RequestRow);

export const countRows: readonly RequestRow[] = [...rowsOf('responses/input_tokens', rows), ...rowsOf('messages/count_tokens', ofMessages)];
