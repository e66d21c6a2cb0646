import { describe, expect, it } from 'vitest';
import { FirstLine } from './first-line.ts';
import { FormScanner } from './scanner.ts';

const form = (...parts: readonly string[]): Buffer => Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`);
const field = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch';
const file = (content: string): string => `Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${content}`;

function lineOf(bytes: Buffer, step: number): string | undefined {
  const scanner = new FormScanner('b');
  const line = new FirstLine();
  for (let at = 0; at < bytes.length; at += step) for (const piece of scanner.push(bytes.subarray(at, at + step))) line.note(piece);
  return line.text;
}

describe('the first line of a file', () => {
  it.each([
    ['ends at a line feed', form(field, file('{"a":"ü"}\n{"b":2}\n')), '{"a":"ü"}'],
    ['ends at a carriage return and a line feed', form(field, file('{"a":1}\r\n{"b":2}\r\n')), '{"a":1}'],
    ['is the whole of a file of one line', form(file('{"a":1}'), field), '{"a":1}'],
    ['keeps its byte order mark', form(file('\uFEFF{"a":1}\n')), '\uFEFF{"a":1}'],
    ['is empty in an empty file', form(file(''), field), ''],
    ['is that of the first file', form(file('one\n'), file('two\n')), 'one'],
    ['is none where there is no file', form(field), undefined],
    ['is not known where it is too long', form(file(`${'x'.repeat(70_000)}\n`)), undefined],
  ])('%s', (_, bytes, expected) => {
    for (const step of [1, 7, bytes.length]) if (step > 1 || bytes.length < 1000) expect(lineOf(bytes, step)).toBe(expected);
  });
});
