import { describe, expect, it } from 'vitest';
import { objectsWith } from './objects-with.ts';

const objectsIn = (json: string, key = 'type') =>
  objectsWith(json, key).map(({ value, members }) => [
    value,
    Object.fromEntries(members.map(({ key: name, start, end }) => [name, JSON.parse(json.slice(start, end))])),
  ]);

describe('objects with a member', () => {
  it.each([
    ['one', '{"type":"file","id":1}', [['file', { type: 'file', id: 1 }]]],
    ['one with blanks around its colon', '{"id":1,"type" : \n"file"}', [['file', { id: 1, type: 'file' }]]],
    [
      'two in a list',
      '{"l":[{"type":"file","n":1},{"n":2,"type":"text"}]}',
      [
        ['file', { type: 'file', n: 1 }],
        ['text', { n: 2, type: 'text' }],
      ],
    ],
    ['none with another name', '{"kind":"file","x-type":"file","typed":"x"}', []],
    ['none with another value', '{"a":{"type":["file"]},"b":{"type":1},"c":{"type":{}}}', []],
    ['none in a list', '{"l":["type","file"]}', []],
    ['none inside a string', String.raw`{"a":"\"type\":\"file\""}`, []],
    ['an escaped value as written', String.raw`{"type":"f\u0069le"}`, [[String.raw`f\u0069le`, { type: 'file' }]]],
    [
      'nested ones',
      '{"type":"out","in":{"type":"in"}}',
      [
        ['out', { type: 'out', in: { type: 'in' } }],
        ['in', { type: 'in' }],
      ],
    ],
  ])('%s', (_name, json, objects) => {
    expect(objectsIn(json)).toEqual(objects);
  });

  it.each([
    ['in one object', `{"a":{${'"role":"user",'.repeat(3000)}"b":1}}`],
    ['at each level', `${'{"a":'.repeat(100)}${JSON.stringify(Array.from({ length: 3000 }, () => 1))}${',"role":"user"}'.repeat(100)}`],
  ])('are not scanned again and again, with the value %s', (_, json) => {
    expect(() => objectsIn(json, 'role')).toThrow('too often');
  });
});
