import { expect, it } from 'vitest';
import { parseDataUri } from './data-uri.ts';

it.each<[string, string, ReturnType<typeof parseDataUri>]>([
  ['an image', 'data:image/png;base64,AAAA', { mimeType: 'image/png', base64: 'AAAA' }],
  ['a long name', `data:text/plain;name=${'a'.repeat(3000)};base64,AAAA`, { mimeType: 'text/plain', base64: 'AAAA' }],
  // Millions of parameters would be millions of strings in memory.
  ['very many parameters', `data:${';'.repeat(5000)},x`, undefined],
  ['no data', 'data:text/plain', undefined],
])('parseDataUri reads %s', (_name, text, parsed) => {
  expect(parseDataUri(text)).toEqual(parsed);
});
