import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalId } from './owners.ts';
import { referencesIn } from './references.ts';

const referencesOf = (text: string): ReturnType<typeof referencesIn> => referencesIn(text, JSON.parse(text));

it.each<[text: string, named: string[], other: string[]]>([
  ['{"file_id":"file-1"}', ['file-1'], []],
  ['{"a":[{"FILE_IDS":["file-1","file-2"]}]}', ['file-2', 'file-1'], []],
  ['{"conversation":{"id":"conv_1"},"input":[{"id":"msg_1"},{"id":"msg_2","role":"user"}]}', ['msg_1', 'conv_1'], ['msg_2', 'user']],
  ['{"container":{"type":"auto"},"x":{"id":"free"}}', [], ['free', 'auto']],
  ['{"cached_content":"cachedContents/1","extra_body":{"cachedContent":"cachedContents/2"}}', ['cachedContents/1', 'cachedContents/2'], []],
  ['{"input":[{"type":"item_reference","id":"msg_1"}]}', ['msg_1'], ['item_reference']],
  ['{"input_file_id":"gs%253A%252F%252Fb%252Fx"}', ['gs://b/x'], []],
  ['{"content":"file-1","text":"file-2","metadata":{"id":"file-3"},"user":"two words"}', [], ['file-3']],
  ['{"image_url":{"url":"GS://b/a.png"},"url":"data:image/png;base64,AAAA"}', [], ['gs://b/a.png']],
  ['{"image_url":{"url":" gs://b/a.png\\n"},"file_id":" file-1"}', ['file-1'], ['gs://b/a.png']],
  ['{"image_url":{"url":"\\u0001g\\ts:\\n//b/a\\r.png\\u0000"}}', [], ['gs://b/a.png']],
  ['{"url":"Note:\\nsome words"}', [], []],
  ['{"previous_response_id":null,"container":"auto","file_id":""}', [], []],
])('finds the object references in %s', (text, expectedIds, otherText) => {
  const references = referencesOf(text);
  expect([...references.named].toSorted()).toEqual(expectedIds.toSorted());
  expect([...references.other].toSorted()).toEqual(otherText.toSorted());
});

it('reads every JSON value with any indentation, and rejects a duplicate member at any depth', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify({ value, 'a\\"b': '\\":"' }, null, indent);
      expect(() => referencesOf(text)).not.toThrow();
      const textWithTwoIds = `{"x":[{"id":1, "\\u0069d" : ${JSON.stringify(value)}}]}`;
      expect(() => referencesOf(textWithTwoIds)).toThrow(/a member twice/);
    }),
  );
  expect(() => referencesOf(`{"x":${'[{"a":'.repeat(2000)}1${'}]'.repeat(2000)}}`)).not.toThrow();
});

it('rejects a body with more than 10,000 strings', () => {
  const list = Array.from({ length: 10_001 }, (_, i) => `word-${i}`);
  expect(() => referencesOf(JSON.stringify({ list }))).toThrow(/more than 10000/);
});

it.each([
  ['file-1', 'file-1'],
  ['file%2D1', 'file-1'],
  ['gs%3A%2F%2Fb%2Fa%2520b', 'gs://b/a%20b'],
  ['gs://b/a%20b', 'gs://b/a%20b'],
  ['GS%3A%2F%2Fb%2FA', 'gs://b/A'],
  ['100%', '100%'],
  ['%E0%A4%A', '%E0%A4%A'],
])('canonicalId converts %s to %s', (id, canonical) => expect(canonicalId(id)).toBe(canonical));
