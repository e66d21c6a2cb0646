import { describe, expect, it } from 'vitest';
import { responsesOf } from './from-chat.ts';

describe('a chat whose tokens are counted', () => {
  it('has strict tools as ordinary ones: whether the schema can be enforced does not matter for a count', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'f', parameters, strict: true } }];
    const { body } = responsesOf({ model: 'm', messages: [], tools });
    expect(body['tools']).toEqual([{ type: 'function', name: 'f', parameters, strict: false }]);
  });

  it('reports tools that only another service has', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { body, dropped } = responsesOf({ model: 'm', messages: [], tools });
    expect([body['tools'], dropped.map(({ param }) => param)]).toEqual([undefined, ['tools[].web_search_20250305']]);
  });

  it('has the schema of its response', () => {
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
  ])('has images by address or id: %s', (url, image) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const { body } = responsesOf({ model: 'm', messages });
    expect(body['input']).toEqual([{ type: 'message', role: 'user', content: [{ type: 'input_image', detail: 'auto', ...image }] }]);
  });
});
