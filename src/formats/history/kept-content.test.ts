import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/merge.ts';
import { keptIn, keptText, signedPieceIn, signedPieceText, signLastText } from './kept-content.ts';

describe('keptIn', () => {
  it.each(['thinking', 'redacted', 'next', 'text'] as const)('returns what keptText wrote: %s', (kept) => {
    for (const value of ['', 'SIG', 'gateway:reasoning:{"a":"b"}']) expect(keptIn(keptText(kept, value))).toEqual({ kept, value });
  });

  it.each(['gAAAAAB', '', undefined, 7, 'gateway:', 'gateway:other:x'])('does not read %j', (value) => {
    expect(keptIn(value)).toBeUndefined();
  });
});

describe('signedPieceIn', () => {
  it('returns what signedPieceText wrote', () => {
    const piece = { start: 12, length: 0, signature: 'a:b' };
    expect(signedPieceIn(signedPieceText(piece))).toEqual(piece);
  });

  it.each(['', 'SIG', '1:SIG', '1:2:', '-1:2:SIG', '1:2e9:SIG'])('does not read %j', (value) => {
    expect(signedPieceIn(value)).toBeUndefined();
  });
});

describe('signLastText', () => {
  const signature = 'SIG';
  const citations = [{ type: 'char_location' }];

  it.each<[string, start: number, length: number, JsonObject[]]>([
    ['all of it', 0, 3, [{ type: 'text', text: 'abc', citations, signature }]],
    [
      'its beginning',
      0,
      1,
      [
        { type: 'text', text: 'a', signature },
        { type: 'text', text: 'bc', citations },
      ],
    ],
    [
      'its end',
      2,
      1,
      [
        { type: 'text', text: 'ab' },
        { type: 'text', text: 'c', citations, signature },
      ],
    ],
    [
      'nothing after it',
      3,
      0,
      [
        { type: 'text', text: 'abc', citations },
        { type: 'text', text: '', signature },
      ],
    ],
    [
      'nothing',
      0,
      0,
      [
        { type: 'text', text: 'abc', citations },
        { type: 'text', text: '', signature },
      ],
    ],
  ])('divides a text at the signed piece: %s', (_, start, length, expected) => {
    const blocks: JsonObject[] = [{ type: 'text', text: 'abc', citations }];
    expect(signLastText(blocks, { start, length, signature })).toBe(true);
    expect(blocks).toEqual(expected);
  });

  it.each<[string, JsonObject[]]>([
    ['a text that was shortened', [{ type: 'text', text: 'ab' }]],
    ['a text that was changed so that the piece begins within a character', [{ type: 'text', text: 'a😀bc' }]],
    ['a text that was changed so that the piece ends within a character', [{ type: 'text', text: 'ab😀' }]],
    ['a text that is signed already', [{ type: 'text', text: 'abc', signature: 'x' }]],
    ['a call', [{ type: 'tool_use', id: 'a', text: 'abc' }]],
    ['no block', []],
  ])('does not sign %s', (_, blocks) => {
    const before = structuredClone(blocks);
    expect(signLastText(blocks, { start: 2, length: 1, signature })).toBe(false);
    expect(blocks).toEqual(before);
  });
});
