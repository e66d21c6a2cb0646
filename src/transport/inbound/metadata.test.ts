import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import { parseMetadata } from './metadata.ts';

/** A header with UTF-8 bytes as node:http returns it. */
const wire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('parseMetadata()', () => {
  it.each<readonly [string, string | undefined, object]>([
    ['a missing header', undefined, {}],
    ['an empty header', '', {}],
    ['strings', '{"_user":"u-1","team":"web"}', { _user: 'u-1', team: 'web' }],
    ['UTF-8', wire('{"name":"Jürgen 模型"}'), { name: 'Jürgen 模型' }],
    ['Latin-1', '{"name":"J\u00fcrgen"}', { name: 'Jürgen' }],
    ['escapes', '{"name":"J\\u00fcrgen"}', { name: 'Jürgen' }],
    ['128 characters', JSON.stringify({ a: 'x'.repeat(128) }), { a: 'x'.repeat(128) }],
    ['128 characters of two units', wire(JSON.stringify({ a: '😀'.repeat(128) })), { a: '😀'.repeat(128) }],
  ])('parses %s', (_name, header, expected) => {
    expect(parseMetadata(header)).toEqual(expected);
  });

  it.each([
    ['text that is not JSON', '{', 'is not JSON'],
    ['deeply nested JSON', '['.repeat(1000) + ']'.repeat(1000), /levels deep at position \d+\.$/],
    ['an array', '[]', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['a number', '{"a":1}', '"a" must be a string'],
    ['a nested object', '{"a":{}}', '"a" must be a string'],
    ['129 characters', JSON.stringify({ a: 'x'.repeat(129) }), 'longer than 128'],
    ['129 characters of two units', wire(JSON.stringify({ a: '😀'.repeat(129) })), 'longer than 128'],
  ])('rejects %s', (_name, header, message) => {
    expect(() => parseMetadata(header)).toThrow(GatewayError);
    expect(() => parseMetadata(header)).toThrow(message);
  });
});
