import { describe, expect, it } from 'vitest';
import { FirstLine } from './first-line.ts';
import { FormScanner } from './scanner.ts';

const form = (...parts: readonly string[]): Buffer => Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`);
const field = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch';
const file = (content: string): string => `Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${content}`;

function lineOf(bytes: Buffer, step: number): string | undefined {
  const scanner = new FormScanner('b');
  const line = new FirstLine();
  for (let offset = 0; offset < bytes.length; offset += step)
    for (const piece of scanner.push(bytes.subarray(offset, offset + step))) line.add(piece);
  return line.text;
}

describe('FirstLine', () => {
  it.each([
    ['ends at LF', form(field, file('{"a":"ü"}\n{"b":2}\n')), '{"a":"ü"}'],
    ['ends at CRLF', form(field, file('{"a":1}\r\n{"b":2}\r\n')), '{"a":1}'],
    ['is the whole file if it has one line', form(file('{"a":1}'), field), '{"a":1}'],
    ['includes a byte order mark', form(file('\uFEFF{"a":1}\n')), '\uFEFF{"a":1}'],
    ['is empty for an empty file', form(file(''), field), ''],
    ['follows blank lines', form(field, file('\r\n\n \t\r\n{"a":1}\n')), '{"a":1}'],
    ['is undefined after too many blank lines', form(file(`${'\r\n'.repeat(40_000)}{"a":1}\n`)), undefined],
    ['is read from the first file', form(file('one\n'), file('two\n')), 'one'],
    ['is undefined without a file', form(field), undefined],
    ['is undefined if it is too long', form(file(`${'x'.repeat(70_000)}\n`)), undefined],
  ])('%s', (_, bytes, expected) => {
    for (const step of [1, 7, bytes.length]) if (step > 1 || bytes.length < 1000) expect(lineOf(bytes, step)).toBe(expected);
  });
});
