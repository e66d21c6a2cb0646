import { describe, expect, it } from 'vitest';
import { LineRewriter } from './lines.ts';

function rewrite(text: string | Buffer, edit: (line: string, index: number) => string | undefined, size = 1): string {
  const bytes = Buffer.from(text);
  const rewriter = new LineRewriter(edit);
  const output: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; offset += size) output.push(...rewriter.push(bytes.subarray(offset, offset + size)));
  output.push(...rewriter.end());
  return Buffer.concat(output).toString('latin1');
}

const marked = (line: string, index: number): string => `${index}<${line}>`;

describe('LineRewriter', () => {
  const table: readonly (readonly [name: string, text: string, expected: string])[] = [
    ['accepts an empty text', '', ''],
    ['splits at line feeds', 'a\nb\n', '0<a>\n1<b>\n'],
    ['keeps both kinds of line ends', 'a\r\nb\n', '0<a>\r\n1<b>\n'],
    ['accepts a last line without line end', 'a\nb', '0<a>\n1<b>'],
    ['passes empty lines', '\n\r\n\n', '0<>\n1<>\r\n2<>\n'],
    ['does not split at a single carriage return', 'a\rb\n', '0<a\rb>\n'],
    ['removes a byte order mark', '\ufeffa\nb', '0<a>\n1<b>'],
    ['accepts a text of only a byte order mark', '\ufeff', ''],
  ];
  it.each(table)('%s', (_, text, expected) => {
    for (let size = 1; size <= 5; size += 1) expect(rewrite(text, marked, size), `pieces of ${size}`).toBe(expected);
  });

  it('removes lines together with their line ends', () => {
    expect(rewrite('a\r\nb\r\nc', (line) => (line === 'b' ? undefined : line))).toBe('a\r\nc');
  });

  it('keeps the bytes of unchanged lines, also if they are not UTF-8', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0d, 0x0a]);
    expect(rewrite(bytes, (line) => line)).toBe(bytes.toString('latin1'));
  });

  it('decodes characters that are split between chunks', () => {
    expect(
      Buffer.from(
        rewrite('{"a":"€😀"}\n', (line) => JSON.stringify(JSON.parse(line))),
        'latin1',
      ).toString(),
    ).toBe('{"a":"€😀"}\n');
  });

  it.each([
    ['unchanged', (line: string) => line, '{}\n'],
    ['rewritten', (line: string) => `${line} `, '{} \n'],
    ['partly removed', (line: string, index: number) => (index % 2 === 0 ? line : undefined), ''],
  ])('joins short lines to few pieces, because a client may send millions: %s', (_, edit, each) => {
    const count = 200_000;
    const pieces = new LineRewriter(edit).push(Buffer.from('{}\n'.repeat(count)));
    expect(pieces.length).toBeLessThan(30);
    expect(Buffer.concat(pieces).toString()).toBe(each === '' ? '{}\n'.repeat(count / 2) : each.repeat(count));
  });

  it('limits the length of a line', () => {
    const rewriter = new LineRewriter((line) => line);
    const chunk = Buffer.alloc(8 * 1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 9; i += 1) rewriter.push(chunk);
    }).toThrow(/Line 1 of the file is longer/);
  });
});
