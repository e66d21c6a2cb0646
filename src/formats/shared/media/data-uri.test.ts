import { expect, it } from 'vitest';
import { parseDataUri, shownType } from './data-uri.ts';

it.each<[string, string, ReturnType<typeof parseDataUri>]>([
  ['an image', 'data:image/png;base64,AAAA', { mimeType: 'image/png', base64: 'AAAA' }],
  ['a long name', `data:text/plain;name=${'a'.repeat(3000)};base64,AAAA`, { mimeType: 'text/plain', base64: 'AAAA' }],
  // Millions of parameters would be millions of strings in memory.
  ['very many parameters', `data:${';'.repeat(5000)},x`, undefined],
  ['no data', 'data:text/plain', undefined],
])('parseDataUri reads %s', (_name, text, parsed) => {
  expect(parseDataUri(text)).toEqual(parsed);
});

it.each([
  ['image/png', '/9j/4AAQ', 'image/jpeg'],
  ['image/jpeg', 'iVBORw0KGgo=', 'image/png'],
  ['image/*', 'R0lGODlhAQAB', 'image/gif'],
  ['image/png', 'UklGRhIAAABXRUJQ', 'image/webp'],
  ['application/octet-stream', 'JVBERi0=', 'application/pdf'],
  ['application/octet-stream', 'AAAA', 'application/octet-stream'],
  ['image/heic', 'AAAA', 'image/heic'],
  ['image/png', 'JVBERi0=', 'image/png'],
  ['audio/wav', 'UklGRg==', 'audio/wav'],
  ['text/plain', 'iVBORw0KGgo=', 'text/plain'],
])('a file declared as %s that begins with %s is sent as %s', (declared, base64, shown) => {
  expect(shownType(declared, base64)).toBe(shown);
});
