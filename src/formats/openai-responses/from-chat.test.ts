import { describe, expect, it } from 'vitest';
import { responsesOf } from './from-chat.ts';

describe('responsesOf for a token count', () => {
  it('converts strict tools to ordinary ones', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'f', parameters, strict: true } }];
    const { body } = responsesOf({ model: 'm', messages: [], tools });
    expect(body['tools']).toEqual([{ type: 'function', name: 'f', parameters, strict: false }]);
  });

  it('reports tools that only another service supports', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { body, dropped } = responsesOf({ model: 'm', messages: [], tools });
    expect([body['tools'], dropped.map(({ param }) => param)]).toEqual([undefined, ['tools[].web_search_20250305']]);
  });

  it('sends the schema of the response format', () => {
    const schema = { type: 'object' };
    const { body } = responsesOf({
      model: 'm',
      messages: [],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    });
    expect(body['text']).toEqual({ format: { type: 'json_schema', name: 'n', schema, strict: false } });
  });

  it.each([
    ['https://h.example/a.png', { image_url: 'https://h.example/a.png' }],
    ['data:image/png;base64,AAAA', { image_url: 'data:image/png;base64,AAAA' }],
    ['file-123', { file_id: 'file-123' }],
  ])('converts image URLs and file IDs: %s', (url, image) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const { body } = responsesOf({ model: 'm', messages });
    expect(body['input']).toEqual([{ type: 'message', role: 'user', content: [{ type: 'input_image', detail: 'auto', ...image }] }]);
  });

  it('reports blocks of earlier responses that only another service has', () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'text', text: 'a' },
    ];
    const { body, dropped } = responsesOf({ model: 'm', messages: [{ role: 'assistant', content: 'a', content_blocks: blocks }] });
    expect(body['input']).toEqual([{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }]);
    expect(dropped.map(({ param }) => param)).toEqual(['messages[].content[].server_tool_use']);
  });

  it('sends a file with a name', () => {
    const file = { file_data: 'data:application/pdf;base64,JVBERi0=' };
    const { body } = responsesOf({ model: 'm', messages: [{ role: 'user', content: [{ type: 'file', file }] }] });
    expect(body['input']).toMatchObject([{ content: [{ type: 'input_file', filename: 'document.pdf', ...file }] }]);
  });
});
