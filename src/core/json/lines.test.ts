import { describe, expect, it } from 'vitest';
import { LineRewriter } from './lines.ts';

function rewrite(text: string | Buffer, edit: (line: string, index: number) => string | undefined, size = 1): string {
  const bytes = Buffer.from(text);
  const rewriter = new LineRewriter(edit);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(...rewriter.push(bytes.subarray(at, at + size)));
  out.push(...rewriter.end());
  return Buffer.concat(out).toString('latin1');
}

const marked = (line: string, index: number): string => `${index}<${line}>`;

describe('lines written anew', () => {
  const table: readonly (readonly [what: string, text: string, expected: string])[] = [
    ['nothing', '', ''],
    ['line feeds', 'a\nb\n', '0<a>\n1<b>\n'],
    ['both line ends', 'a\r\nb\n', '0<a>\r\n1<b>\n'],
    ['a last line without end', 'a\nb', '0<a>\n1<b>'],
    ['empty lines', '\n\r\n\n', '0<>\n1<>\r\n2<>\n'],
    ['a carriage return inside', 'a\rb\n', '0<a\rb>\n'],
    ['a byte order mark', '\ufeffa\nb', '0<a>\n1<b>'],
    ['nothing but a mark', '\ufeff', ''],
  ];
  it.each(table)('%s', (_, text, expected) => {
    for (let size = 1; size <= 5; size += 1) expect(rewrite(text, marked, size), `pieces of ${size}`).toBe(expected);
  });

  it('takes lines out with their ends', () => {
    expect(rewrite('a\r\nb\r\nc', (line) => (line === 'b' ? undefined : line))).toBe('a\r\nc');
  });

  it('keeps the bytes of lines that stay, those that are no UTF-8 included', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0d, 0x0a]);
    expect(rewrite(bytes, (line) => line)).toBe(bytes.toString('latin1'));
  });

  it('reads characters that are cut', () => {
    expect(
      Buffer.from(
        rewrite('{"a":"€😀"}\n', (line) => JSON.stringify(JSON.parse(line))),
        'latin1',
      ).toString(),
    ).toBe('{"a":"€😀"}\n');
  });

  it('bounds a line', () => {
    const rewriter = new LineRewriter((line) => line);
    const chunk = Buffer.alloc(8 * 1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 9; i += 1) rewriter.push(chunk);
    }).toThrow(/Line 1 of the file is longer/);
  });
});
