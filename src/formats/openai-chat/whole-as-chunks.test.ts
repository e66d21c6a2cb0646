import { expect, it } from 'vitest';
import { chatChunks } from './whole-as-chunks.ts';

const call = { strict: true, includeUsage: false, provider: 'p', model: 'm', id: 'r', createdAt: 1 };

it.each<[unknown, unknown]>([
  ['x', 'x'],
  [null, null],
  // Workers AI sends the object itself if JSON was requested (recorded).
  [{ a: 1 }, '{"a":1}'],
  [[{ type: 'text', text: 'x' }, 'y', { type: 'image_url', image_url: { url: 'data:,' } }], 'xy'],
])('content %j is streamed as %j', (content, delta) => {
  const [first = ''] = (chatChunks({ choices: [{ index: 0, message: { role: 'assistant', content } }] }, call) ?? '').split('\n\n');
  expect(JSON.parse(first.slice('data: '.length))).toMatchObject({ choices: [{ delta: { content: delta } }] });
});
