import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordList } from '../scan.ts';
import { TokenReader } from './token-reader.ts';
import { TokenTape } from './token-tape.ts';

const tape = new TokenTape();

function readerOf(json: string): TokenReader {
  recordList(json, json.indexOf('['), tape);
  return new TokenReader(json, tape);
}

type Read = string | { readonly [key: string]: Read } | readonly Read[];

/** What the reader sees: lists and objects as they are, strings as written, other values as their first character. */
function objectOf(reader: TokenReader): Read {
  const members: [string, Read][] = [];
  while (reader.nextMember()) {
    const { key, first } = reader;
    expect([reader.isKey(key), reader.isKey(`${key}x`)]).toEqual([true, false]);
    if (first === 0x22) members.push([key, reader.string]);
    else if (first === 0x5b || first === 0x7b) {
      reader.enter();
      members.push([key, first === 0x5b ? listOf(reader) : objectOf(reader)]);
    } else members.push([key, String.fromCharCode(first)]);
  }
  return Object.fromEntries(members);
}

function listOf(reader: TokenReader): readonly Read[] {
  const objects: Read[] = [];
  while (reader.nextObject()) objects.push(objectOf(reader));
  return objects;
}

/** The same of a parsed value. */
function expected(value: unknown): Read {
  if (typeof value === 'string') return JSON.stringify(value).slice(1, -1);
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [JSON.stringify(key).slice(1, -1), expected(one)]));
  return JSON.stringify(value).charAt(0);
}

const { list } = fc.letrec<{ value: unknown; object: unknown; list: unknown[] }>((tie) => ({
  value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie('object'), tie('list')),
  object: fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    tie('value'),
    { maxKeys: 4 },
  ),
  list: fc.array(tie('object'), { maxLength: 4 }),
}));

describe('reading a list by its tokens', () => {
  it('sees the same as a parser, with any white space', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        expect(listOf(readerOf(json))).toEqual(expected(value));
      }),
    );
  });

  it('skips members that are not read, and returns to a place', () => {
    const reader = readerOf('[{"a":[{"b":"]"}],"c":{"d":[1,[2]]},"e":1.5e3,"f":"x\\"y"},{"g":null}]');
    expect(reader.nextObject()).toBe(true);
    const { place } = reader;
    const keys: string[] = [];
    while (reader.nextMember()) keys.push(reader.key);
    expect([keys, reader.nextObject(), reader.nextMember(), reader.key]).toEqual([['a', 'c', 'e', 'f'], true, true, 'g']);
    reader.returnTo(place);
    expect([reader.nextMember(), reader.key]).toEqual([true, 'a']);
  });

  it.each([
    ['null', true],
    ['""', true],
    ['[ ]', true],
    ['[{}]', false],
    ['" "', false],
    ['0', false],
    ['{}', false],
  ])('says whether %s is empty', (value, isEmpty) => {
    const reader = readerOf(`[{"a":${value}}]`);
    reader.nextObject();
    reader.nextMember();
    expect(reader.isEmptyValue).toBe(isEmpty);
  });

  it.each([
    ['a number', '[1]'],
    ['a number after an object', '[{},1,{}]'],
    ['null before an object', '[null,{}]'],
    ['a string', '["a"]'],
    ['a list', '[[{}]]'],
    ['text after an object', '[{} x]'],
    ['a key that is no string', '[{1:2}]'],
    ['a key without a value', '[{"a"}]'],
    ['a key after which the text ends', '[{"a":1,"b"}]'],
    ['a list instead of an object', '[{"a":1},[]]'],
  ])('throws at %s', (_name, json) => {
    expect(() => listOf(readerOf(json))).toThrow('not as expected');
  });

  it('keeps no memory of a text with many tokens', () => {
    readerOf(`[${'{"a":1},'.repeat(100_000)}{}]`);
    const large = tape.offsets.length;
    readerOf('[]');
    expect([large > 500_000, tape.offsets.length]).toEqual([true, 65_536]);
  });
});
